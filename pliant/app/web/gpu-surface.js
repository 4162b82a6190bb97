// Draws the surface on the GPU: the basis lies in textures, and only the pose travels there for each frame.
// Two passes write positions and normals into tables, one point a texel; all that is drawn reads them.

import {
  BufferAttribute, BufferGeometry, Camera, DataTexture, FloatType, GLSL3, Mesh, MeshDepthMaterial, NearestFilter,
  NoBlending, Points, RGBADepthPacking, RGBAFormat, RawShaderMaterial, Scene, Vector2, WebGLRenderTarget,
} from "./vendor/three.module.js";
import { NORMAL_VERTEX, PLACE_VERTEX, WRITE_FRAGMENT, readTables } from "./shaders.js";

const MOST_TEXELS = 1 << 24; // float32 counts exactly up to here
const FRAME_TEXELS = 3;
const camera = new Camera();

/** Can this driver hold the geometry in textures and write to float ones? */
export function fitsGpu(renderer, geometry) {
  const { maxTextureSize } = renderer.capabilities;
  const most = Math.min(MOST_TEXELS, maxTextureSize * maxTextureSize);
  const texels = geometry.blocks.reduce((sum, block) => sum + block.rows * rowTexels(block), 0);
  const writes = renderer.getContext().getExtension("EXT_color_buffer_float") !== null;
  return writes && geometry.parts.length > 0 && texels < most && 2 * geometry.entries.part.length < most;
}

export class GpuSurface {
  constructor(geometry, corners, material, renderer) {
    this.kind = "gpu";
    this.geometry = geometry;
    this.renderer = renderer;
    const width = Math.min(2048, renderer.capabilities.maxTextureSize);
    this.poseTexels = layPose(geometry);
    this.pose = table(new Float32Array(4 * this.poseTexels.total), width);
    this.basis = table(packBasis(geometry), renderer.capabilities.maxTextureSize);
    this.entries = table(packEntries(geometry, this.poseTexels.starts), width);
    this.faces = table(packFaces(geometry, corners), width);
    this.places = writable(geometry.count, width);
    this.normals = writable(corners.source.length, width);
    this.placePass = pass(PLACE_VERTEX, spans(geometry.entries.start), this.places, {
      entries: this.entries, basis: this.basis, pose: this.pose,
    });
    this.normalPass = pass(NORMAL_VERTEX, spans(corners.start), this.normals, {
      faces: this.faces, places: this.places.texture,
    });
    this.mesh = tableMesh(corners, material, { places: { value: this.places.texture }, normals: { value: this.normals.texture } });
  }

  show(frame) {
    const pose = this.pose.image.data;
    this.geometry.parts.forEach((part, p) => copyPose(frame.numbers, part, pose, 4 * this.poseTexels.starts[p]));
    this.pose.needsUpdate = true;
    this.run(this.placePass, this.places);
    this.run(this.normalPass, this.normals);
  }

  run(scene, target) {
    const before = this.renderer.getRenderTarget();
    this.renderer.setRenderTarget(target);
    this.renderer.render(scene, camera);
    this.renderer.setRenderTarget(before);
  }

  /** Read the positions back. */
  positions() {
    const { width, height } = this.places;
    const texels = new Float32Array(4 * width * height);
    this.renderer.readRenderTargetPixels(this.places, 0, 0, width, height, texels);
    const x = new Float32Array(3 * this.geometry.count);
    for (let v = 0; v < this.geometry.count; v += 1) x.set(texels.subarray(4 * v, 4 * v + 3), 3 * v);
    return x;
  }

  dispose() {
    const owned = [this.pose, this.basis, this.entries, this.faces, this.places, this.normals, this.mesh.geometry];
    for (const scene of [this.placePass, this.normalPass]) owned.push(scene.children[0].geometry, scene.children[0].material);
    owned.push(this.mesh.material, this.mesh.customDepthMaterial);
    for (const thing of owned) thing.dispose();
  }
}

const fours = (size) => Math.ceil(size / 4);
const rowTexels = (block) => 3 * fours(block.size) * (block.warps ? 2 : 1);

/** Where the pose of each part begins in the pose texture. */
function layPose(geometry) {
  let total = 0;
  const starts = geometry.parts.map(({ block }) => {
    const start = total;
    total += FRAME_TEXELS + fours(block.size);
    return start;
  });
  return { starts, total };
}

/** Rows of R with t behind them, then the coordinates. */
function copyPose(numbers, part, pose, at) {
  for (let i = 0; i < 3; i += 1) {
    pose.set(numbers.subarray(part.offset + 3 * i, part.offset + 3 * i + 3), at + 4 * i);
    pose[at + 4 * i + 3] = numbers[part.offset + 9 + i];
  }
  pose.set(numbers.subarray(part.offset + 12, part.offset + 12 + part.block.size), at + 12);
}

function packBasis(geometry) {
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

function packEntries({ parts, entries }, poseStarts) {
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

function packFaces({ triangles }, { faces }) {
  const data = new Float32Array(4 * faces.length);
  faces.forEach((f, i) => data.set(triangles.subarray(3 * f, 3 * f + 3), 4 * i));
  return data;
}

/** (first, count, 0) for each range of `start`. */
function spans(start) {
  const data = new Float32Array(3 * (start.length - 1));
  for (let i = 0; i + 1 < start.length; i += 1) data.set([start[i], start[i + 1] - start[i]], 3 * i);
  return data;
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
    type: FloatType, format: RGBAFormat, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false,
  };
  return new WebGLRenderTarget(width, Math.ceil(count / width), options);
}

function pass(vertexShader, position, target, textures) {
  const uniforms = { size: { value: new Vector2(target.width, target.height) } };
  for (const [name, value] of Object.entries(textures)) uniforms[name] = { value };
  const material = new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader, fragmentShader: WRITE_FRAGMENT, uniforms, blending: NoBlending,
    depthTest: false, depthWrite: false,
  });
  const buffers = new BufferGeometry();
  buffers.setAttribute("position", new BufferAttribute(position, 3));
  const points = new Points(buffers, material);
  points.frustumCulled = false;
  return new Scene().add(points);
}

function tableMesh(corners, material, tables) {
  const buffers = new BufferGeometry();
  const source = new Float32Array(3 * corners.source.length);
  corners.source.forEach((v, c) => { source[3 * c] = v; });
  buffers.setAttribute("position", new BufferAttribute(source, 3));
  buffers.setAttribute("normal", new BufferAttribute(new Float32Array(source.length), 3));
  buffers.setIndex(new BufferAttribute(corners.index, 1));
  const mesh = new Mesh(buffers, readTables(material.clone(), tables));
  mesh.customDepthMaterial = readTables(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), tables);
  mesh.frustumCulled = false;
  return mesh;
}
