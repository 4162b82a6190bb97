// Which vertex of the deformed surface lies under a pointer.

import { Raycaster, Vector2, Vector3 } from "./vendor/three.module.js";

const AROUND = 8; // rays on a ring
const SKIN = 1e-6; // of the distance: what a ray enters it does not leave at once
const caster = new Raycaster();

/** The ray through a point of the canvas, given in pixels of the window. */
export function rayAt(stage, clientX, clientY) {
  const box = stage.canvas.getBoundingClientRect();
  const x = ((clientX - box.left) / box.width) * 2 - 1;
  const y = 1 - ((clientY - box.top) / box.height) * 2;
  caster.setFromCamera(new Vector2(x, y), stage.camera);
  return caster.ray;
}

/** The nearest triangle on a ray: its corner next to the hit, and the point that was hit; null where there is none. */
export function pick(ray, positions, { triangles, twoSided }) {
  let [distance, face] = [Infinity, -1];
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    let t = hitDistance(ray, positions, a, b, c);
    if (twoSided && t === Infinity) t = hitDistance(ray, positions, a, c, b);
    if (t < distance) [distance, face] = [t, i];
  }
  if (face < 0) return null;
  const hit = ray.at(distance, new Vector3());
  const corners = [0, 1, 2].map((k) => new Vector3().fromArray(positions, 3 * triangles[face + k]));
  const near = corners.map((corner) => corner.distanceTo(hit));
  const k = near.indexOf(Math.min(...near));
  return { distance, vertex: triangles[face + k], point: hit };
}

/** As `pick` at a point of the window, or next to it: the nearest hit on rings of at most `radius` pixels around it. */
export function pickAround(stage, clientX, clientY, radius, positions, geometry) {
  for (const share of [0, 1 / 3, 2 / 3, 1]) {
    for (let k = 0; k < (share ? AROUND : 1); k += 1) {
      const angle = (2 * Math.PI * k) / AROUND;
      const [x, y] = [clientX + share * radius * Math.cos(angle), clientY + share * radius * Math.sin(angle)];
      const hit = pick(rayAt(stage, x, y), positions, geometry);
      if (hit) return hit;
    }
  }
  return null;
}

/** As `pickAround`, in the middle of the body there: half-way to where the ray leaves it again; null beside it. */
export function middleAround(stage, clientX, clientY, radius, positions, geometry) {
  const hit = pickAround(stage, clientX, clientY, radius, positions, geometry);
  if (!hit) return null;
  const pixel = stage.pixelOf(hit.point);
  const ray = rayAt(stage, ...pixel);
  const first = ray.origin.distanceTo(hit.point);
  const least = first * (1 + SKIN);
  let last = Infinity;
  for (let i = 0; i < geometry.triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * geometry.triangles[i + k]);
    let t = hitDistance(ray, positions, a, c, b);
    if (geometry.twoSided && t === Infinity) t = hitDistance(ray, positions, a, b, c);
    if (t > least && t < last) last = t;
  }
  return ray.at(last === Infinity ? first : (first + last) / 2, new Vector3());
}

/** Where a ray enters a triangle through its front, Infinity where it does not; plain numbers, since there are many. */
function hitDistance({ origin, direction: d }, x, a, b, c) {
  const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
  const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
  const [px, py, pz] = [d.y * vz - d.z * vy, d.z * vx - d.x * vz, d.x * vy - d.y * vx];
  const volume = ux * px + uy * py + uz * pz;
  if (!(volume > 0)) return Infinity;
  const [sx, sy, sz] = [origin.x - x[a], origin.y - x[a + 1], origin.z - x[a + 2]];
  const first = sx * px + sy * py + sz * pz;
  if (first < 0 || first > volume) return Infinity;
  const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
  const second = d.x * qx + d.y * qy + d.z * qz;
  if (second < 0 || first + second > volume) return Infinity;
  const t = (vx * qx + vy * qy + vz * qz) / volume;
  return t >= 0 ? t : Infinity;
}
