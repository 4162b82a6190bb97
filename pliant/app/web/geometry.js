// The geometry of a scene: what the server sends once, taken apart, vertices sorted by the parts that move them.

const TYPES = { float32: Float32Array, uint32: Uint32Array };
const FRAME = 12;

/** Ask the server for a geometry. */
export async function fetchGeometry(number) {
  const response = await fetch(`geometry/${number}`);
  if (!response.ok) throw new Error(await response.text());
  return unpack(await response.arrayBuffer());
}

/** X, U, omega of every block; vertices, weights and pose offset of every part; triangles, ids, rest positions. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const array = (name) => {
    const { offset, length: count, type } = header.arrays[name];
    return new TYPES[type](buffer, 4 + length + offset, count);
  };
  const blocks = header.blocks.map((block, b) => ({
    ...block,
    X: array(`X${b}`),
    U: array(`U${b}`),
    omega: block.warps ? array(`omega${b}`) : null,
  }));
  let offset = 0;
  const parts = header.parts.map(({ block }, p) => {
    const part = { block: blocks[block], vertices: array(`vertices${p}`), weights: array(`weights${p}`), offset };
    offset += FRAME + part.block.size;
    return part;
  });
  const count = header.vertices;
  return {
    number: header.number,
    count,
    blocks,
    parts,
    poseLength: offset,
    entries: sortEntries(count, parts),
    ids: array("ids"),
    triangles: array("triangles"),
    rest: array("rest"),
  };
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
