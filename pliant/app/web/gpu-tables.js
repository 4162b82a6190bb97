// Geometry and poses as texels: four columns of a row triple are three texels, x, y and z of all four. The columns of
// each part of the pose that a row reads begin with a texel of their own, as their coordinates do in the pose.

import { FRAME } from "./geometry.js";

const FRAME_TEXELS = 3;
const fours = (size) => Math.ceil(size / 4);

/** Texels of the basis in all: for each vertex three rows of U, and of omega where it warps. */
export function layBasis({ blocks, parts }) {
  for (const { block, spans: read } of parts) block.spans = read; // instances read others, of the same sizes
  let total = 0;
  for (const block of blocks) {
    block.start = total;
    block.fours = block.spans.reduce((sum, [, size]) => sum + fours(size), 0);
    block.rowTexels = 3 * block.fours * (block.warps ? 2 : 1);
    total += block.rows * block.rowTexels;
  }
  return total;
}

/** Where the coordinates of each part of the pose begin in the pose texture, behind the frames of all parts. */
export function layPose({ pose }) {
  let total = FRAME_TEXELS * pose.sizes.length;
  const starts = Array.from(pose.sizes, (size) => {
    const start = total;
    total += fours(size);
    return start;
  });
  return { starts, total };
}

/** Rows of R with t behind them, then the coordinates. */
export function copyPose({ pose }, numbers, starts, data) {
  for (let p = 0; p < starts.length; p += 1) {
    for (let i = 0; i < 3; i += 1) {
      const [from, at] = [FRAME * p + 3 * i, 4 * (FRAME_TEXELS * p + i)];
      data[at] = numbers[from];
      data[at + 1] = numbers[from + 1];
      data[at + 2] = numbers[from + 2];
      data[at + 3] = numbers[FRAME * p + 9 + i];
    }
    const [from, at] = [pose.first[p], 4 * starts[p]];
    for (let j = 0; j < pose.sizes[p]; j += 1) data[at + j] = numbers[from + j];
  }
}

export function packBasis(geometry, total) {
  const data = new Float32Array(4 * total);
  for (const block of geometry.blocks) {
    for (let k = 0; k < block.rows; k += 1) {
      const at = block.start + k * block.rowTexels;
      packRow(block.U, k, block, data, at);
      if (block.warps) packRow(block.omega, k, block, data, at + 3 * block.fours);
    }
  }
  return data;
}

function packRow(matrix, k, { size, spans: read }, data, texel) {
  let [column, first] = [0, texel];
  for (const [, count] of read) {
    for (let j = 0; j < count; j += 1, column += 1) {
      const at = 4 * (first + 3 * (j >> 2)) + (j & 3);
      for (let i = 0; i < 3; i += 1) data[at + 4 * i] = matrix[(3 * k + i) * size + column];
    }
    first += 3 * fours(count);
  }
}

/** (frame, first read, reads, columns / 4) of each part of the skin, then (first texel, texels) of what they read. */
export function packParts({ parts }, poseStarts) {
  const reads = parts.reduce((sum, part) => sum + part.reads.length, 0);
  const data = new Float32Array(4 * (parts.length + reads));
  let read = parts.length;
  parts.forEach((part, p) => {
    data.set([FRAME_TEXELS * part.reads[0], read, part.reads.length, part.block.fours], 4 * p);
    part.reads.forEach((i, c) => data.set([poseStarts[i], fours(part.spans[c][1])], 4 * (read + c)));
    read += part.reads.length;
  });
  return data;
}

/** (X, weight) and (first texel of the basis rows, part, whether it warps) of each entry. */
export function packEntries({ parts, entries }) {
  const data = new Float32Array(8 * entries.part.length);
  entries.part.forEach((p, e) => {
    const { block, X, weights } = parts[p];
    const k = entries.row[e];
    data.set([X[3 * k], X[3 * k + 1], X[3 * k + 2], weights[k]], 8 * e);
    data.set([block.start + k * block.rowTexels, p, block.warps ? 1 : 0], 8 * e + 4);
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
