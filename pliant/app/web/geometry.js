// The geometry of a scene: what the server sends once, taken apart, vertices sorted by the parts that move them.

import { findCorners } from "./creases.js";

const TYPES = { float32: Float32Array, uint32: Uint32Array };
export const FRAME = 12; // numbers of a frame: R row by row, and t

/** Ask the server for a geometry; `before` is the one that is drawn now, of which much may stay. Null: it is gone. */
export async function fetchGeometry(number, before) {
  const response = await fetch(`geometry/${number}?since=${before?.number ?? 0}`);
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(await response.text());
  return unpack(await response.arrayBuffer(), before);
}

/** U, omega of every block; vertices, weights, X of every part and where it reads a pose; triangles, ids, rest. */
export function unpack(buffer, before) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, place] of Object.entries(header.arrays)) {
    arrays[name] = place && new TYPES[place.type](buffer, 4 + length + place.offset, place.length);
    arrays[name] ??= before.arrays[name];
  }
  const blocks = header.blocks.map((block, b) => ({
    ...block,
    U: arrays[`U${b}`],
    omega: block.warps ? arrays[`omega${b}`] : null,
  }));
  const pose = layOut(arrays.sizes ?? new Uint32Array());
  const parts = arrays.parts ? readParts(blocks, pose, arrays) : [];
  const { ids, triangles, rest, uv = null } = arrays;
  const paint = uv === null ? (arrays.paint ?? null) : null; // a texture has the colours already
  // Where the surface is as it was, so are its creases, and hands may stay.
  const continues = before !== null && header.since === before.number;
  return {
    number: header.number,
    count: header.vertices,
    arrays,
    blocks,
    parts,
    pose,
    entries: sortEntries(header.vertices, parts),
    ids,
    places: new Map(Array.from(ids, (id, vertex) => [id, vertex])),
    triangles,
    rest,
    paint,
    uv,
    texture: continues ? before.texture : null,
    palette: header.palette,
    continues,
    corners: continues ? before.corners : findCorners(header.vertices, triangles, rest, { paint, uv }),
    twoSided: continues ? before.twoSided : isOpen(header.vertices, triangles) || isInsideOut(triangles, rest),
  };
}

/** Has the surface a border, so that both of its sides are seen? */
function isOpen(count, triangles) {
  const edges = new Map();
  for (let i = 0; i < triangles.length; i += 1) {
    const [a, b] = [triangles[i], triangles[i % 3 === 2 ? i - 2 : i + 1]];
    const key = Math.min(a, b) * count + Math.max(a, b);
    edges.set(key, (edges.get(key) ?? 0) + 1);
  }
  for (const sides of edges.values()) if (sides % 2 === 1) return true;
  return false;
}

/** Do the triangles of a closed surface face inwards, as the volume tells? */
function isInsideOut(triangles, x) {
  let volume = 0;
  const at = (i, k) => x[3 * triangles[i] + k] - x[k];
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => [0, 1, 2].map((k) => at(i + j, k)));
    volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return volume < 0;
}

/** Where the coordinates of each part of a pose begin in its numbers, behind the frames of all parts. */
function layOut(sizes) {
  const first = new Uint32Array(sizes.length);
  let length = FRAME * sizes.length;
  sizes.forEach((size, i) => {
    first[i] = length;
    length += size;
  });
  return { sizes, first, length };
}

function readParts(blocks, pose, { parts: rows, reads, vertices, weights, X }) {
  const parts = [];
  for (let p = 0, from = 0; 4 * p < rows.length; p += 1) {
    const [count, block, first, chained] = rows.subarray(4 * p, 4 * p + 4);
    const mine = reads.subarray(first, first + chained);
    const to = from + count;
    parts.push({
      block: blocks[block],
      reads: mine,
      frame: FRAME * mine[0],
      spans: Array.from(mine, (i) => [pose.first[i], pose.sizes[i]]),
      vertices: vertices.subarray(from, to),
      weights: weights.subarray(from, to),
      X: X.subarray(3 * from, 3 * to),
    });
    from = to;
  }
  return parts;
}

/** For each vertex the (part, row) pairs that move it: entries start[v] to start[v + 1]. */
function sortEntries(count, parts) {
  const start = new Uint32Array(count + 1);
  for (const part of parts) for (const v of part.vertices) start[v + 1] += 1;
  for (let v = 0; v < count; v += 1) start[v + 1] += start[v];
  const place = start.slice();
  const part = new Uint32Array(start[count]);
  const row = new Uint32Array(start[count]);
  parts.forEach(({ vertices }, p) =>
    vertices.forEach((v, k) => {
      part[place[v]] = p;
      row[place[v]] = k;
      place[v] += 1;
    }),
  );
  return { start, part, row };
}
