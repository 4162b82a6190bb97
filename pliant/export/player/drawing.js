// How it looks: the surface under a key light and a sky, on a ground with a soft shadow.

const LIGHT = [-0.346, 0.768, 0.538];
const SHADOW_SIZE = 512;
const PLAIN = [0.085, 0.3, 0.47]; // linear RGB of what is not painted
const PAINT = 2; // place of the attribute

const COMMON = `#version 300 es
precision highp float;
const vec3 light = vec3(${LIGHT});
const vec3 keyColour = vec3(1.0, 0.94, 0.86) * 0.85;
const vec3 skyColour = vec3(0.80, 0.90, 1.0) * 0.42;
`;

const ENCODING = `
// A grain below one step of colour keeps wide gradients from showing bands.
float grain() { return (fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5) / 255.0; }
vec3 encoded(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)) + grain(); }
`;

const SURFACE = [
  `${COMMON}
in vec3 position; in vec3 normal; in vec3 paint; uniform mat4 camera; out vec3 n; out vec3 p; out vec3 own;
void main() { n = normal; p = position; own = paint; gl_Position = camera * vec4(position, 1.0); }`,
  `${COMMON}
${ENCODING}in vec3 n; in vec3 p; in vec3 own; uniform vec3 eye; out vec4 colour;
void main() {
  vec3 towards = normalize(eye - p), N = normalize(n) * (gl_FrontFacing ? 1.0 : -1.0);
  float key = max(dot(N, light), 0.0), facing = clamp(dot(N, towards), 0.0, 1.0);
  vec3 received = keyColour * key + skyColour * (0.55 + 0.45 * N.y) + 0.16 * (0.5 - 0.5 * N.y);
  float gloss = 0.16 * pow(max(dot(N, normalize(towards + light)), 0.0), 40.0) * step(0.001, key);
  vec3 c = own * received * 1.2 + gloss * keyColour + 0.2 * pow(1.0 - facing, 4.0) * skyColour;
  colour = vec4(encoded(c), 1.0);
}`,
];

// The surface pressed flat along the light: covered or not, and from how high.
const SHADOW = [
  `${COMMON}
in vec3 position; uniform vec3 centre; uniform float ground; uniform float reach; out float height;
void main() {
  height = max(position.y - ground, 0.0) / reach;
  vec3 spot = position - light * (position.y - ground) / light.y;
  gl_Position = vec4((spot.xz - centre.xz) / reach, height, 1.0);
}`,
  `${COMMON}
in float height; out vec4 colour;
void main() { colour = vec4(1.0, height, 0.0, 1.0); }`,
];

const GROUND = [
  `${COMMON}
uniform mat4 camera; uniform vec3 centre; uniform float ground; uniform float reach; out vec2 spot;
void main() {
  spot = 6.0 * reach * vec2((gl_VertexID & 1) != 0 ? 1.0 : -1.0, (gl_VertexID & 2) != 0 ? 1.0 : -1.0);
  gl_Position = camera * vec4(centre.x + spot.x, ground, centre.z + spot.y, 1.0);
}`,
  `${COMMON}
${ENCODING}in vec2 spot; uniform float reach; uniform sampler2D shadow; out vec4 colour;
vec2 around(int k, int count, float radius) {
  float turn = 2.39996 * float(k);
  return radius * sqrt((float(k) + 0.5) / float(count)) * vec2(cos(turn), sin(turn));
}
void main() {
  vec2 uv = 0.5 + 0.5 * spot / reach, wide = vec2(0.0);
  for (int k = 0; k < 24; k++) wide += texture(shadow, uv + around(k, 24, 0.06)).rg;
  float height = wide.x > 0.0 ? wide.y / wide.x : 0.0, dark = 0.0;
  for (int k = 0; k < 48; k++) dark += texture(shadow, uv + around(k, 48, 0.006 + 0.09 * height)).r / 48.0;
  float fade = exp(-pow(length(spot) / (1.8 * reach), 2.0));
  vec3 lit = vec3(0.74, 0.745, 0.75) * 1.08 * (1.0 - dark * vec3(0.58, 0.55, 0.52) - 0.10 * wide.x / 24.0);
  colour = vec4(encoded(mix(vec3(0.80, 0.84, 0.89), lit, fade)), 1.0);
}`,
];

function createDrawing(canvas, recording, bounds) {
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (gl === null) throw new Error("This browser has no WebGL2, which the picture needs.");
  const [surface, shadow, ground] = [SURFACE, SHADOW, GROUND].map((sources) => linked(gl, sources));
  const [positions, normals] = [gl.createBuffer(), gl.createBuffer()];
  const arrays = gl.createVertexArray();
  gl.bindVertexArray(arrays);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, recording.triangles, gl.STATIC_DRAW);
  [positions, normals].forEach((buffer, place) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
  });
  paintVertices(gl, recording.colours);
  const target = shadowTarget(gl);
  const count = recording.triangles.length;
  const reach = 2.5 * bounds.radius;

  function place(program) {
    gl.useProgram(program.handle);
    gl.uniform3fv(program.at("centre"), bounds.centre);
    gl.uniform1f(program.at("ground"), recording.ground);
    gl.uniform1f(program.at("reach"), reach);
  }

  function drawShadow() {
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.framebuffer);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    place(shadow);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  return {
    move(x) {
      for (const [buffer, values] of [[positions, x], [normals, normalsOf(x, recording.triangles)]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
      }
    },
    draw(view) {
      drawShadow();
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0.906, 0.925, 0.949, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      place(ground);
      gl.uniformMatrix4fv(ground.at("camera"), false, view.matrix);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.useProgram(surface.handle);
      gl.uniformMatrix4fv(surface.at("camera"), false, view.matrix);
      gl.uniform3fv(surface.at("eye"), view.eye);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    },
  };
}

// Each vertex in its own colour, or all in one.
function paintVertices(gl, colours) {
  if (colours === null) {
    gl.vertexAttrib3f(PAINT, ...PLAIN);
    return;
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, colours, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(PAINT);
  gl.vertexAttribPointer(PAINT, 3, gl.FLOAT, false, 0, 0);
}

function linked(gl, [vertexSource, fragmentSource]) {
  const handle = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexSource], [gl.FRAGMENT_SHADER, fragmentSource]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  gl.bindAttribLocation(handle, 0, "position");
  gl.bindAttribLocation(handle, 1, "normal");
  gl.bindAttribLocation(handle, PAINT, "paint");
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(`A shader failed: ${gl.getProgramInfoLog(handle)}`);
  return { handle, at: (name) => gl.getUniformLocation(handle, name) };
}

function shadowTarget(gl) {
  const [texture, framebuffer] = [gl.createTexture(), gl.createFramebuffer()];
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, SHADOW_SIZE, SHADOW_SIZE);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return { framebuffer };
}
