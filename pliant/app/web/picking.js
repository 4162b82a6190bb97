// Which vertex of the deformed surface lies under a pointer.

import { Raycaster, Vector2, Vector3 } from "./vendor/three.module.js";

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
export function pick(ray, positions, triangles) {
  const [a, b, c, hit] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  let best = null;
  for (let i = 0; i < triangles.length; i += 3) {
    a.fromArray(positions, 3 * triangles[i]);
    b.fromArray(positions, 3 * triangles[i + 1]);
    c.fromArray(positions, 3 * triangles[i + 2]);
    if (!ray.intersectTriangle(a, b, c, true, hit)) continue;
    const distance = hit.distanceTo(ray.origin);
    if (best && distance >= best.distance) continue;
    const near = [a, b, c].map((corner) => corner.distanceTo(hit));
    const k = near.indexOf(Math.min(...near));
    best = { distance, vertex: triangles[i + k], point: [a, b, c][k].clone() };
  }
  return best;
}
