// Corners: a vertex on a sharp edge is drawn several times, so that each side of the edge has its own normal.

const SHARP = Math.cos((40 * Math.PI) / 180);

/**
 * Corners of a surface: `index` names the corner of each triangle's vertices, `source` the vertex of each corner,
 * and the triangles that bend the normal of corner c are faces[start[c]] to faces[start[c + 1]]. `paint`, if given,
 * tells the colour of each triangle, `uv` where its corners lie in a texture; where those meet smoothly, corners differ
 * but have one normal.
 */
export function findCorners(count, triangles, rest, { paint = null, uv = null } = {}) {
  const normals = faceNormals(triangles, rest);
  const around = facesAround(count, triangles);
  const index = new Uint32Array(triangles.length);
  const [source, start, smooth] = [[], [0], []];
  for (let v = 0; v < count; v += 1) {
    const faces = around.faces.subarray(around.start[v], around.start[v + 1]);
    const group = smoothGroups(v, faces, triangles, normals);
    const corners = new Map();
    faces.forEach((face, i) => {
      const first = [0, 1, 2].find((k) => triangles[3 * face + k] === v);
      const place = 2 * (3 * face + first);
      const look = uv ? `${uv[place]} ${uv[place + 1]}` : (paint?.[face] ?? "");
      const key = `${group[i]} ${look}`;
      if (!corners.has(key)) {
        corners.set(key, source.push(v) - 1);
        faces.forEach((other, j) => group[j] === group[i] && smooth.push(other));
        start.push(smooth.length);
      }
      for (let k = 0; k < 3; k += 1) if (triangles[3 * face + k] === v) index[3 * face + k] = corners.get(key);
    });
  }
  const lists = [source, start, smooth].map((list) => Uint32Array.from(list));
  return { index, source: lists[0], start: lists[1], faces: lists[2] };
}

/** The colour (3 a corner) of each corner's triangles, from a palette. */
export function cornerColours({ index, source }, paint, palette) {
  const colours = new Float32Array(3 * source.length);
  index.forEach((corner, i) => colours.set(palette[paint[Math.floor(i / 3)]], 3 * corner));
  return colours;
}

/** The place in the texture (2 a corner) of each corner. */
export function cornerPlaces({ index, source }, uv) {
  const places = new Float32Array(2 * source.length);
  index.forEach((corner, i) => places.set(uv.subarray(2 * i, 2 * i + 2), 2 * corner));
  return places;
}

function faceNormals(triangles, x) {
  const normals = new Float32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const n = areaNormal(x, triangles[i], triangles[i + 1], triangles[i + 2]);
    const length = Math.hypot(...n) || 1;
    normals.set([n[0] / length, n[1] / length, n[2] / length], i);
  }
  return normals;
}

/** Twice the area of a triangle, as a vector. */
export function areaNormal(x, i, j, k) {
  const [a, b, c] = [3 * i, 3 * j, 3 * k];
  const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
  const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

function facesAround(count, index) {
  const start = new Uint32Array(count + 1);
  for (const v of index) start[v + 1] += 1;
  for (let v = 0; v < count; v += 1) start[v + 1] += start[v];
  const place = start.slice();
  const faces = new Uint32Array(index.length);
  index.forEach((v, i) => {
    faces[place[v]] = Math.floor(i / 3);
    place[v] += 1;
  });
  return { start, faces };
}

/** A group number for each face at v: faces that meet smoothly in an edge at v share it. */
function smoothGroups(v, faces, triangles, normals) {
  const group = Array.from(faces, (_, i) => i);
  const root = (i) => (group[i] === i ? i : root(group[i]));
  for (let i = 0; i < faces.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      if (shareEdge(v, faces[i], faces[j], triangles) && dot(normals, faces[i], faces[j]) > SHARP)
        group[root(i)] = root(j);
    }
  }
  return group.map((_, i) => root(i));
}

function shareEdge(v, f, g, triangles) {
  for (let k = 0; k < 3; k += 1) {
    const other = triangles[3 * f + k];
    if (other === v) continue;
    if (triangles[3 * g] === other || triangles[3 * g + 1] === other || triangles[3 * g + 2] === other) return true;
  }
  return false;
}

function dot(normals, f, g) {
  return (
    normals[3 * f] * normals[3 * g] + normals[3 * f + 1] * normals[3 * g + 1] + normals[3 * f + 2] * normals[3 * g + 2]
  );
}
