// Frames in 16 bits, as numbers: what follows their header becomes what a frame in float32 would hold.

import { FRAME } from "./geometry.js";

const WHOLE = 32767;
const GRID = 16; // bytes

/** R row by row and t of every part, then the coordinates. */
export function unroundPose(buffer, from, count) {
  const grid = new Float32Array(buffer, from, 4);
  const turns = new Int16Array(buffer, from + GRID, 4 * count);
  const places = new Uint16Array(buffer, from + GRID + 8 * count, 3 * count);
  const sizes = new Uint16Array(buffer, from + GRID + 14 * count, count);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const multiples = new Int16Array(buffer, from + GRID + 16 * count, total);
  const powers = new Int8Array(buffer, from + GRID + 16 * count + 2 * total, count);
  const numbers = new Float32Array(FRAME * count + total);
  let read = 0;
  for (let p = 0; p < count; p += 1) {
    turn(turns, 4 * p, numbers, FRAME * p);
    for (let i = 0; i < 3; i += 1) numbers[FRAME * p + 9 + i] = grid[i] + grid[3] * places[3 * p + i];
    const unit = 2 ** powers[p];
    for (const end = read + sizes[p]; read < end; read += 1) numbers[FRAME * count + read] = unit * multiples[read];
  }
  return numbers;
}

export function unroundVertices(buffer, from, count) {
  const grid = new Float32Array(buffer, from, 4);
  const places = new Uint16Array(buffer, from + GRID, 3 * count);
  return Float32Array.from(places, (place, i) => grid[i % 3] + grid[3] * place);
}

/** The rotation of a quaternion (x, y, z, w), row by row. */
function turn(turns, from, numbers, at) {
  const length = Math.hypot(turns[from], turns[from + 1], turns[from + 2], turns[from + 3]) || WHOLE;
  const [x, y, z, w] = [0, 1, 2, 3].map((i) => turns[from + i] / length);
  numbers[at] = 1 - 2 * (y * y + z * z);
  numbers[at + 1] = 2 * (x * y - z * w);
  numbers[at + 2] = 2 * (x * z + y * w);
  numbers[at + 3] = 2 * (x * y + z * w);
  numbers[at + 4] = 1 - 2 * (x * x + z * z);
  numbers[at + 5] = 2 * (y * z - x * w);
  numbers[at + 6] = 2 * (x * z - y * w);
  numbers[at + 7] = 2 * (y * z + x * w);
  numbers[at + 8] = 1 - 2 * (x * x + y * y);
}
