// Geometry and poses as texels: four columns of a row triple are three texels, x, y and z of all four.

const FRAME_TEXELS = 3;
const fours = (size) => Math.ceil(size / 4);
/** Texels of the three rows of a vertex: U, and omega where it warps. */
export const rowTexels = (block) => 3 * fours(block.size) * (block.warps ? 2 : 1);

/** Where the pose of each part begins in the pose texture. */
export function layPose(geometry) {
  let total = 0;
  const starts = geometry.parts.map(({ block }) => {
    const start = total;
    total += FRAME_TEXELS + fours(block.size);
    return start;
  });
  return { starts, total };
}

/** Rows of R with t behind them, then the coordinates. */
export function copyPose(numbers, part, pose, at) {
  for (let i = 0; i < 3; i += 1) {
    pose.set(numbers.subarray(part.offset + 3 * i, part.offset + 3 * i + 3), at + 4 * i);
    pose[at + 4 * i + 3] = numbers[part.offset + 9 + i];
  }
  pose.set(numbers.subarray(part.offset + 12, part.offset + 12 + part.block.size), at + 12);
}

export function packBasis(geometry) {
  let total = 0;
  for (const block of geometry.blocks) {
    block.start = total;
    total += block.rows * rowTexels(block);
  }
  const data = new Float32Array(4 * total);
  for (const block of geometry.blocks) {
    for (let k = 0; k < block.rows; k += 1) {
      const at = block.start + k * rowTexels(block);
      packRow(block.U, k, block.size, data, at);
      if (block.warps) packRow(block.omega, k, block.size, data, at + 3 * fours(block.size));
    }
  }
  return data;
}

function packRow(matrix, k, size, data, texel) {
  for (let i = 0; i < 3; i += 1) {
    for (let j = 0; j < size; j += 1) {
      data[4 * (texel + 3 * (j >> 2) + i) + (j & 3)] = matrix[(3 * k + i) * size + j];
    }
  }
}

export function packEntries({ parts, entries }, poseStarts) {
  const data = new Float32Array(8 * entries.part.length);
  entries.part.forEach((p, e) => {
    const { block, weights } = parts[p];
    const k = entries.row[e];
    data.set(block.X.subarray(3 * k, 3 * k + 3), 8 * e);
    data[8 * e + 3] = weights[k];
    data.set([block.start + k * rowTexels(block), fours(block.size), poseStarts[p], block.warps ? 1 : 0], 8 * e + 4);
  });
  return data;
}

export function packFaces({ triangles }, { faces }) {
  const data = new Float32Array(4 * faces.length);
  faces.forEach((f, i) => data.set(triangles.subarray(3 * f, 3 * f + 3), 4 * i));
  return data;
}

/** (first, count, 0) for each range of `start`. */
export function spans(start) {
  const data = new Float32Array(3 * (start.length - 1));
  for (let i = 0; i + 1 < start.length; i += 1) data.set([start[i], start[i + 1] - start[i]], 3 * i);
  return data;
}
