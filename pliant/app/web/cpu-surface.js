// Draws the surface with positions and normals that JavaScript computes: for software drivers and plain vertices.

import { BufferAttribute, BufferGeometry, Mesh } from "./vendor/three.module.js";
import { VERTICES } from "./messages.js";
import { evaluate } from "./formula.js";
import { areaNormal } from "./creases.js";
import { setColours } from "./paint.js";

export class CpuSurface {
  constructor(geometry, corners, material) {
    this.kind = "cpu";
    this.geometry = geometry;
    this.corners = corners;
    this.x = Float32Array.from(geometry.rest);
    this.faceNormals = new Float32Array(geometry.triangles.length);
    const buffers = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(3 * corners.source.length), 3);
    this.normal = new BufferAttribute(new Float32Array(3 * corners.source.length), 3);
    buffers.setAttribute("position", this.position);
    buffers.setAttribute("normal", this.normal);
    buffers.setIndex(new BufferAttribute(corners.index, 1));
    setColours(buffers, geometry);
    this.mesh = new Mesh(buffers, material);
    this.mesh.frustumCulled = false;
    this.spread();
  }

  show(frame) {
    if (frame.layout === VERTICES) this.x.set(frame.numbers.subarray(0, this.x.length));
    else evaluate(this.geometry, frame.numbers, this.x);
    this.spread();
  }

  positions() {
    return this.x;
  }

  /** From vertices to corners, and the normals there. */
  spread() {
    const { source } = this.corners;
    const place = this.position.array;
    source.forEach((v, c) => {
      place[3 * c] = this.x[3 * v];
      place[3 * c + 1] = this.x[3 * v + 1];
      place[3 * c + 2] = this.x[3 * v + 2];
    });
    this.bendNormals();
    this.position.needsUpdate = this.normal.needsUpdate = true;
  }

  bendNormals() {
    const { start, faces } = this.corners;
    const { triangles } = this.geometry;
    const { faceNormals } = this;
    for (let i = 0; i < triangles.length; i += 3) {
      faceNormals.set(areaNormal(this.x, triangles[i], triangles[i + 1], triangles[i + 2]), i);
    }
    const normal = this.normal.array;
    for (let c = 0; c + 1 < start.length; c += 1) {
      let [x, y, z] = [0, 0, 0];
      for (let f = start[c]; f < start[c + 1]; f += 1) {
        const at = 3 * faces[f];
        x += faceNormals[at];
        y += faceNormals[at + 1];
        z += faceNormals[at + 2];
      }
      const length = Math.hypot(x, y, z) || 1;
      normal[3 * c] = x / length;
      normal[3 * c + 1] = y / length;
      normal[3 * c + 2] = z / length;
    }
  }

  dispose() {
    this.mesh.geometry.dispose();
  }
}
