// The drawing formula in JavaScript: x = sum_p w_p [ R_p (X + warp(Omega q_p) U q_p) + t_p ].

const SMALL = 0.25; // of |w|^2, below which the series of b and c are exact to float32

/** Positions of all vertices (3n) for the numbers of a pose. */
export function evaluate(geometry, pose, out) {
  out.fill(0);
  const x = [0, 0, 0];
  for (const part of geometry.parts) {
    for (let k = 0; k < part.vertices.length; k += 1) {
      placeRow(part, k, pose, x);
      const at = 3 * part.vertices[k];
      const w = part.weights[k];
      out[at] += w * x[0];
      out[at + 1] += w * x[1];
      out[at + 2] += w * x[2];
    }
  }
  return out;
}

/** Position of one vertex. */
export function evaluateVertex(geometry, pose, vertex) {
  const { start, part, row } = geometry.entries;
  const sum = [0, 0, 0];
  const x = [0, 0, 0];
  for (let e = start[vertex]; e < start[vertex + 1]; e += 1) {
    const owner = geometry.parts[part[e]];
    placeRow(owner, row[e], pose, x);
    for (let i = 0; i < 3; i += 1) sum[i] += owner.weights[row[e]] * x[i];
  }
  return sum;
}

/** out = R (X + warp(Omega q) U q) + t for row k of a part. */
function placeRow(part, k, pose, out) {
  const { U, omega } = part.block;
  const { X, frame: f } = part;
  let [a, b, c] = product(U, k, part, pose);
  if (omega) [a, b, c] = warp(product(omega, k, part, pose), [a, b, c]);
  a += X[3 * k];
  b += X[3 * k + 1];
  c += X[3 * k + 2];
  for (let i = 0; i < 3; i += 1) {
    out[i] = pose[f + 3 * i] * a + pose[f + 3 * i + 1] * b + pose[f + 3 * i + 2] * c + pose[f + 9 + i];
  }
}

/** Row triple k of a matrix times the coordinates that the part reads. */
function product(matrix, k, { block, spans }, pose) {
  const { size } = block;
  let at = 3 * k * size;
  let x = 0;
  let y = 0;
  let z = 0;
  for (const [first, count] of spans) {
    for (let q = first; q < first + count; q += 1, at += 1) {
      const value = pose[q];
      x += matrix[at] * value;
      y += matrix[at + size] * value;
      z += matrix[at + 2 * size] * value;
    }
  }
  return [x, y, z];
}

/** warp(w) u = u + b w x u + c w x (w x u). */
export function warp(w, u) {
  const s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const t = Math.sqrt(s);
  const b = s < SMALL ? 1 / 2 - s / 24 + (s * s) / 720 - (s * s * s) / 40320 : (1 - Math.cos(t)) / s;
  const c = s < SMALL ? 1 / 6 - s / 120 + (s * s) / 5040 - (s * s * s) / 362880 : (t - Math.sin(t)) / (s * t);
  const [x, y, z] = [w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]];
  return [
    u[0] + b * x + c * (w[1] * z - w[2] * y),
    u[1] + b * y + c * (w[2] * x - w[0] * z),
    u[2] + b * z + c * (w[0] * y - w[1] * x),
  ];
}
