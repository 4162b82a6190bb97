// Where the vertices are: x = R (base + sum_i w_i columns_i) + t, piece by piece, and the normals that follow.

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const floats = (text) => new Float32Array(bytes(text));
const whole = (text) => new Uint32Array(bytes(text));

function decodeRecording(packed) {
  const shapes = packed.shapes.map(({ base, columns }) => ({ base: floats(base), columns: floats(columns) }));
  return {
    ground: packed.ground,
    times: floats(packed.times),
    triangles: whole(packed.triangles),
    vertexCount: packed.vertexCount,
    sound: packed.sound,
    colours: packed.colours === null ? null : floats(packed.colours),
    pieces: packed.pieces.map((piece) => ({
      vertices: whole(piece.vertices),
      ...shapes[piece.shape],
      weights: floats(piece.weights),
      frames: piece.frames === null ? null : floats(piece.frames),
    })),
  };
}

function positionsAt(recording, frame) {
  const x = new Float32Array(3 * recording.vertexCount);
  for (const piece of recording.pieces) placePiece(piece, frame, recording.times.length, x);
  return x;
}

function placePiece(piece, frame, frameCount, x) {
  const local = Float64Array.from(piece.base);
  const size = local.length;
  const columnCount = piece.weights.length / frameCount;
  for (let i = 0; i < columnCount; i++) {
    const weight = piece.weights[frame * columnCount + i];
    if (weight === 0) continue;
    for (let k = 0, from = i * size; k < size; k++, from++) local[k] += weight * piece.columns[from];
  }
  if (piece.frames !== null) moveRigidly(local, piece.frames.subarray(12 * frame, 12 * frame + 12));
  piece.vertices.forEach((vertex, k) => {
    for (let axis = 0; axis < 3; axis++) x[3 * vertex + axis] = local[3 * k + axis];
  });
}

// `f` holds the rows of R, then t.
function moveRigidly(points, f) {
  for (let k = 0; k < points.length; k += 3) {
    const [a, b, c] = [points[k], points[k + 1], points[k + 2]];
    for (let row = 0; row < 3; row++)
      points[k + row] = f[3 * row] * a + f[3 * row + 1] * b + f[3 * row + 2] * c + f[9 + row];
  }
}

// Area-weighted; the shader normalises them.
function normalsOf(x, triangles) {
  const normals = new Float32Array(x.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const u = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
    const v = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (const corner of [a, b, c]) for (let axis = 0; axis < 3; axis++) normals[corner + axis] += n[axis];
  }
  return normals;
}

function boundsOf(recording) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const stride = Math.max(1, Math.floor(recording.times.length / 40));
  for (let frame = 0; frame < recording.times.length; frame += stride) {
    positionsAt(recording, frame).forEach((value, k) => {
      low[k % 3] = Math.min(low[k % 3], value);
      high[k % 3] = Math.max(high[k % 3], value);
    });
  }
  const centre = low.map((value, axis) => (value + high[axis]) / 2);
  const half = low.map((value, axis) => (high[axis] - value) / 2);
  return { centre, half, radius: Math.max(Math.hypot(...half), 1e-6) };
}
