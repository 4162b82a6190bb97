// The drawing formula and the normals in GLSL. Long arrays lie in textures, row after row.

const HEAD = `
precision highp float;
precision highp int;
precision highp sampler2D;

vec4 texel(sampler2D table, int i) {
  int width = textureSize(table, 0).x;
  return texelFetch(table, ivec2(i % width, i / width), 0);
}

// Where texel i of a table of this size lies on the screen that is drawn to.
vec4 target(int i, ivec2 size) {
  vec2 cell = vec2(float(i % size.x), float(i / size.x)) + 0.5;
  return vec4(2.0 * cell / vec2(size) - 1.0, 0.0, 1.0);
}
`;

// One point a vertex: position.xy are its first entry and the number of them. An entry is two texels,
// (X, weight) and (first texel of its basis rows, part, whether it warps). A part is one texel, (first texel of its
// frame, first of its reads, number of them, columns / 4), a read is one, (first texel of coordinates, number of them).
// Four columns of a row triple are three texels: x, y and z of all four.
export const PLACE_VERTEX = `${HEAD}
uniform sampler2D entries;
uniform sampler2D parts;
uniform sampler2D basis;
uniform sampler2D pose;
uniform ivec2 size;
in vec3 position;
flat out vec3 place;

vec3 product(int at, ivec4 part) {
  vec3 u = vec3(0.0);
  for (int i = part.y; i < part.y + part.z; i++) {
    ivec4 read = ivec4(texel(parts, i));
    for (int q = read.x; q < read.x + read.y; q++) {
      vec4 c = texel(pose, q);
      u += vec3(dot(texel(basis, at), c), dot(texel(basis, at + 1), c), dot(texel(basis, at + 2), c));
      at += 3;
    }
  }
  return u;
}

// 1 - s / ((k + 2)(k + 3)) (1 - s / ((k + 4)(k + 5)) (1 - ...)): drivers' sines have few digits, this has all of them.
float series(float s, float k) {
  float sum = 1.0;
  for (float i = 9.0; i > 0.5; i -= 1.0) sum = 1.0 - s * sum / ((k + 2.0 * i) * (k + 2.0 * i + 1.0));
  return sum;
}

vec3 warp(vec3 w, vec3 u) {
  float s = dot(w, w);
  float t = sqrt(s);
  float b = s < 10.0 ? series(s, 1.0) / 2.0 : (1.0 - cos(t)) / s;
  float c = s < 10.0 ? series(s, 2.0) / 6.0 : (t - sin(t)) / (s * t);
  vec3 turned = cross(w, u);
  return u + b * turned + c * cross(w, turned);
}

void main() {
  place = vec3(0.0);
  int first = int(position.x);
  for (int e = first; e < first + int(position.y); e++) {
    vec4 rest = texel(entries, 2 * e);
    ivec4 where = ivec4(texel(entries, 2 * e + 1));
    ivec4 part = ivec4(texel(parts, where.y));
    int frame = part.x;
    vec3 u = product(where.x, part);
    if (where.z > 0) u = warp(product(where.x + 3 * part.w, part), u);
    vec4 x = vec4(rest.xyz + u, 1.0);
    place += rest.w * vec3(dot(texel(pose, frame), x), dot(texel(pose, frame + 1), x), dot(texel(pose, frame + 2), x));
  }
  gl_Position = target(gl_VertexID, size);
  gl_PointSize = 1.0;
}`;

// One point a corner: position.xy are its first face and the number of them; a face is one texel of vertex numbers.
export const NORMAL_VERTEX = `${HEAD}
uniform sampler2D faces;
uniform sampler2D places;
uniform ivec2 size;
in vec3 position;
flat out vec3 place;

void main() {
  vec3 sum = vec3(0.0);
  int first = int(position.x);
  for (int f = first; f < first + int(position.y); f++) {
    ivec3 v = ivec3(texel(faces, f).xyz);
    vec3 a = texel(places, v.x).xyz;
    sum += cross(texel(places, v.y).xyz - a, texel(places, v.z).xyz - a);
  }
  place = normalize(sum);
  gl_Position = target(gl_VertexID, size);
  gl_PointSize = 1.0;
}`;

export const WRITE_FRAGMENT = `
precision highp float;
flat in vec3 place;
out vec4 written;

void main() {
  written = vec4(place, 1.0);
}`;

/** Let a material of three.js take positions and normals from tables; position.x is the vertex of each corner. */
export function readTables(material, tables) {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, tables);
    shader.vertexShader = shader.vertexShader
      .replace(
        "#include <common>",
        `#include <common>
        uniform highp sampler2D places;
        uniform highp sampler2D normals;
        vec3 fromTable(highp sampler2D table, int i) {
          int width = textureSize(table, 0).x;
          return texelFetch(table, ivec2(i % width, i / width), 0).xyz;
        }`,
      )
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = fromTable(normals, gl_VertexID);")
      .replace("#include <begin_vertex>", "vec3 transformed = fromTable(places, int(position.x));");
  };
  material.customProgramCacheKey = () => "pliant-tables";
  return material;
}
