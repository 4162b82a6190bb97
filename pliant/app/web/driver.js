// Is the graphics driver a program rather than a chip? Then everything that can be left out is.

let answer = null;

export function isSoftware() {
  if (answer === null) {
    const gl = document.createElement("canvas").getContext("webgl2");
    const info = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    answer = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return answer;
}
