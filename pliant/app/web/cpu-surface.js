// Draws the surface with positions and normals that JavaScript computes: for software drivers and plain vertices.

import { BufferAttribute, BufferGeometry, Mesh } from "./vendor/three.module.js";
import { VERTICES } from "./messages.js";
import { evaluate } from "./formula.js";
import { areaNormal } from "./creases.js";

export class CpuSurface {
  constructor(geometry, corners, material) {
    this.kind = "cpu";
    this.geometry = geometry;
    this.corners = corners;
    this.x = Float32Array.from(geometry.rest);
    const buffers = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(3 * corners.source.length), 3);
    this.normal = new BufferAttribute(new Float32Array(3 * corners.source.length), 3);
    buffers.setAttribute("position", this.position);
    buffers.setAttribute("normal", this.normal);
    buffers.setIndex(new BufferAttribute(corners.index, 1));
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
    const { index } = this.corners;
    const normal = this.normal.array.fill(0);
    const { triangles } = this.geometry;
    for (let i = 0; i < index.length; i += 3) {
      const n = areaNormal(this.x, triangles[i], triangles[i + 1], triangles[i + 2]);
      for (let k = 0; k < 3; k += 1) {
        const at = 3 * index[i + k];
        normal[at] += n[0];
        normal[at + 1] += n[1];
        normal[at + 2] += n[2];
      }
    }
    for (let at = 0; at < normal.length; at += 3) {
      const length = Math.hypot(normal[at], normal[at + 1], normal[at + 2]) || 1;
      normal[at] /= length;
      normal[at + 1] /= length;
      normal[at + 2] /= length;
    }
  }

  dispose() {
    this.mesh.geometry.dispose();
  }
}
