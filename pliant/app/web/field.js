// What a surface is coloured by: a number for every vertex, and what it is called.

const GOLDEN = 0.618034; // of a turn of hue from one part to the next, so that neighbours differ

/** Each: `title` and `unit` for the legend, `told` where the server tells the values, `blended` where hues are mixed. */
export const FIELDS = {
  displacement: { title: "Displacement", unit: "m" },
  strain: { title: "Strain of the surface", unit: "" },
  stress: { title: "Von Mises stress", unit: "Pa", told: true },
  parts: { title: "Parts", unit: "", blended: true },
  weight: { title: "Weight of the bone", unit: "" },
};

/** Values (n) of a field for positions x (3n) of a geometry. */
export function fieldValues(name, geometry, x, isFree) {
  return name === "strain" ? surfaceStrain(geometry, x) : displacement(geometry, x, isFree);
}

/** Colours (3n) of vertices: of the parts or bones that move them, mixed by their weights. */
export function partColours({ count, parts, entries }, colourOf) {
  const hues = parts.map(({ reads }) => colourOf((reads[0] * GOLDEN) % 1));
  const mixed = new Float32Array(3 * count);
  for (let v = 0; v < count; v += 1) {
    for (let e = entries.start[v]; e < entries.start[v + 1]; e += 1) {
      const weight = parts[entries.part[e]].weights[entries.row[e]];
      for (let i = 0; i < 3; i += 1) mixed[3 * v + i] += weight * hues[entries.part[e]][i];
    }
  }
  return mixed;
}

/** Values (n): how much the bone that is this part of the pose moves vertices. */
export function boneWeights({ count, parts }, bone) {
  const values = new Float32Array(count);
  for (const { reads, vertices, weights } of parts) {
    if (reads[0] === bone) vertices.forEach((v, k) => (values[v] += weights[k]));
  }
  return values;
}

/** Values (n) in a report of the server. */
export function toldValues({ most, levels }) {
  const bytes = atob(levels);
  return Float32Array.from(bytes, (character) => (most * character.charCodeAt(0)) / 255);
}

/** How far each vertex is from where it was at rest; of what flies, without its flight. */
function displacement({ rest, count }, x, isFree) {
  const drift = [0, 0, 0];
  if (isFree) for (let i = 0; i < x.length; i += 1) drift[i % 3] += (x[i] - rest[i]) / count;
  const values = new Float32Array(count);
  for (let v = 0; v < count; v += 1) {
    let sum = 0;
    for (let i = 0; i < 3; i += 1) sum += (x[3 * v + i] - rest[3 * v + i] - drift[i]) ** 2;
    values[v] = Math.sqrt(sum);
  }
  return values;
}

/**
 * The largest stretch or squeeze in the surface at each vertex, the mean over its triangles.
 * With the edges e = F E of a triangle and G = E^T E, g = e^T e: the squared stretches are the eigenvalues of G^-1 g.
 */
function surfaceStrain({ rest, triangles, count }, x) {
  const [values, faces] = [new Float32Array(count), new Uint16Array(count)];
  for (let f = 0; f < triangles.length; f += 3) {
    const corners = [triangles[f], triangles[f + 1], triangles[f + 2]];
    const strain = triangleStrain(metric(rest, corners), metric(x, corners));
    for (const v of corners) {
      values[v] += strain;
      faces[v] += 1;
    }
  }
  for (let v = 0; v < count; v += 1) values[v] /= faces[v] || 1;
  return values;
}

/** Products of two edges of a triangle: uu, uv, vv. */
function metric(x, [i, j, k]) {
  let [a, b, c] = [0, 0, 0];
  for (let axis = 0; axis < 3; axis += 1) {
    const u = x[3 * j + axis] - x[3 * i + axis];
    const v = x[3 * k + axis] - x[3 * i + axis];
    a += u * u;
    b += u * v;
    c += v * v;
  }
  return [a, b, c];
}

export function triangleStrain([A, B, C], [a, b, c]) {
  const det = A * C - B * B;
  if (!(det > 0)) return 0;
  const trace = (C * a - 2 * B * b + A * c) / det;
  const ratio = Math.max(0, (a * c - b * b) / det);
  const root = Math.sqrt(Math.max(0, (trace * trace) / 4 - ratio));
  const stretches = [trace / 2 + root, trace / 2 - root].map((s) => Math.sqrt(Math.max(0, s)));
  return Math.max(...stretches.map((s) => Math.abs(s - 1)));
}
