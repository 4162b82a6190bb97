// Draws the surface on the GPU: the basis lies in textures, and only the pose travels there for each frame.
// Two passes write positions and normals into tables, one point a texel; all that is drawn reads them.

import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  DataTexture,
  FloatType,
  GLSL3,
  Mesh,
  MeshDepthMaterial,
  NearestFilter,
  NoBlending,
  Points,
  RGBADepthPacking,
  RGBAFormat,
  RawShaderMaterial,
  Scene,
  Vector2,
  WebGLRenderTarget,
} from "./vendor/three.module.js";
import { setColours } from "./paint.js";
import { NORMAL_VERTEX, PLACE_VERTEX, WRITE_FRAGMENT, readTables } from "./shaders.js";
import {
  copyPose,
  layBasis,
  layPose,
  packBasis,
  packEntries,
  packFaces,
  packParts,
  spans,
} from "./gpu-tables.js";

const MOST_TEXELS = 1 << 24; // float32 counts exactly up to here
const camera = new Camera();

/** Can this driver hold the geometry in textures and write to float ones? */
export function fitsGpu(renderer, geometry) {
  const { maxTextureSize } = renderer.capabilities;
  const most = Math.min(MOST_TEXELS, maxTextureSize * maxTextureSize);
  const texels = layBasis(geometry);
  const writes = renderer.getContext().getExtension("EXT_color_buffer_float") !== null;
  return writes && geometry.parts.length > 0 && texels < most && 2 * geometry.entries.part.length < most;
}

export class GpuSurface {
  constructor(geometry, corners, material, renderer) {
    this.kind = "gpu";
    this.geometry = geometry;
    this.renderer = renderer;
    this.read = null;
    const width = Math.min(2048, renderer.capabilities.maxTextureSize);
    const { starts, total } = layPose(geometry);
    this.starts = starts;
    this.pose = table(new Float32Array(4 * total), width);
    this.basis = table(packBasis(geometry, layBasis(geometry)), renderer.capabilities.maxTextureSize);
    this.parts = table(packParts(geometry, starts), width);
    this.entries = table(packEntries(geometry), width);
    this.faces = table(packFaces(geometry, corners), width);
    this.places = writable(geometry.count, width);
    this.normals = writable(corners.source.length, width);
    this.placePass = pass(PLACE_VERTEX, spans(geometry.entries.start), this.places, {
      entries: this.entries,
      parts: this.parts,
      basis: this.basis,
      pose: this.pose,
    });
    this.normalPass = pass(NORMAL_VERTEX, spans(corners.start), this.normals, {
      faces: this.faces,
      places: this.places.texture,
    });
    this.mesh = tableMesh(geometry, material, {
      places: { value: this.places.texture },
      normals: { value: this.normals.texture },
    });
  }

  show(frame) {
    copyPose(this.geometry, frame.numbers, this.starts, this.pose.image.data);
    this.pose.needsUpdate = true;
    this.read = null;
    this.run(this.placePass, this.places);
    this.run(this.normalPass, this.normals);
  }

  run(scene, target) {
    const before = this.renderer.getRenderTarget();
    this.renderer.setRenderTarget(target);
    this.renderer.render(scene, camera);
    this.renderer.setRenderTarget(before);
  }

  /** Read the positions back, once a frame. */
  positions() {
    this.read ??= this.readPositions();
    return this.read;
  }

  readPositions() {
    const { width, height } = this.places;
    const texels = new Float32Array(4 * width * height);
    this.renderer.readRenderTargetPixels(this.places, 0, 0, width, height, texels);
    const x = new Float32Array(3 * this.geometry.count);
    for (let v = 0; v < this.geometry.count; v += 1) x.set(texels.subarray(4 * v, 4 * v + 3), 3 * v);
    return x;
  }

  dispose() {
    const owned = [this.pose, this.basis, this.parts, this.entries, this.faces, this.places, this.normals];
    owned.push(this.mesh.geometry);
    for (const scene of [this.placePass, this.normalPass])
      owned.push(scene.children[0].geometry, scene.children[0].material);
    owned.push(this.mesh.material, this.mesh.customDepthMaterial);
    for (const thing of owned) thing.dispose();
  }
}

/** Texels in rows of at most `most`. */
function table(data, most) {
  const count = Math.max(1, data.length / 4);
  const width = Math.min(most, count);
  const height = Math.ceil(count / width);
  const padded = new Float32Array(4 * width * height);
  padded.set(data);
  const texture = new DataTexture(padded, width, height, RGBAFormat, FloatType);
  texture.needsUpdate = true;
  return texture;
}

function writable(count, most) {
  const width = Math.min(most, count);
  const options = {
    type: FloatType,
    format: RGBAFormat,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: false,
  };
  return new WebGLRenderTarget(width, Math.ceil(count / width), options);
}

function pass(vertexShader, position, target, textures) {
  const uniforms = { size: { value: new Vector2(target.width, target.height) } };
  for (const [name, value] of Object.entries(textures)) uniforms[name] = { value };
  const material = new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader: WRITE_FRAGMENT,
    uniforms,
    blending: NoBlending,
    depthTest: false,
    depthWrite: false,
  });
  const buffers = new BufferGeometry();
  buffers.setAttribute("position", new BufferAttribute(position, 3));
  const points = new Points(buffers, material);
  points.frustumCulled = false;
  return new Scene().add(points);
}

function tableMesh(geometry, material, tables) {
  const { corners } = geometry;
  const buffers = new BufferGeometry();
  const source = new Float32Array(3 * corners.source.length);
  corners.source.forEach((v, c) => {
    source[3 * c] = v;
  });
  buffers.setAttribute("position", new BufferAttribute(source, 3));
  buffers.setAttribute("normal", new BufferAttribute(new Float32Array(source.length), 3));
  buffers.setIndex(new BufferAttribute(corners.index, 1));
  setColours(buffers, geometry);
  const mesh = new Mesh(buffers, readTables(material.clone(), tables));
  mesh.customDepthMaterial = readTables(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), tables);
  mesh.frustumCulled = false;
  return mesh;
}
