// What lies over characters: bones, the edges of what touches, and spheres and boxes of a level of their trees.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "./vendor/three.module.js";

const MOST_BONES = 300;
const MOST_BOUNDS = 400;
const THICK = 0.1; // of its length: half the width of a bone, as animators draw it
const THICKEST = 0.02; // of the distance to the camera
const HUES = [0.12, 0.55, 0.95, 0]; // of soft, rigid, kinematic and static bones
const UP = new Vector3(0, 1, 0);

export class Skeletons {
  constructor(add, colour) {
    const through = { depthTest: false, transparent: true };
    const bone = new OctahedronGeometry(1).translate(0, 1, 0).scale(1, 0.5, 1);
    this.bones = add(new InstancedMesh(bone, new MeshBasicMaterial({ ...through, opacity: 0.75 }), MOST_BONES));
    const faint = { color: colour("--accent"), transparent: true, opacity: 0.1, depthWrite: false };
    this.spheres = add(new InstancedMesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial(faint), MOST_BOUNDS));
    this.boxes = add(new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshBasicMaterial(faint), MOST_BOUNDS));
    const net = new LineBasicMaterial({ ...through, color: colour("--ink"), opacity: 0.55 });
    this.nets = add(new LineSegments(new BufferGeometry(), net));
  }

  /** What was told of the kinds that are wanted; null: nothing. */
  show(report, told, distance) {
    this.showBones(told("bones") ? report.bones : [], distance);
    this.showNets(told("nets") ? report.nets : "");
    const matrix = new Matrix4();
    place(this.spheres, told("spheres") ? report.spheres : [], ([x, y, z, r]) =>
      matrix.makeScale(r, r, r).setPosition(x, y, z),
    );
    place(this.boxes, told("boxes") ? report.boxes : [], ([a, b, c, d, e, f]) =>
      matrix.makeScale(d - a, e - b, f - c).setPosition((a + d) / 2, (b + e) / 2, (c + f) / 2),
    );
  }

  /** Of each its ends and its kind. */
  showBones(rows, distance) {
    const [matrix, turn, colour] = [new Matrix4(), new Quaternion(), new Color()];
    place(this.bones, rows, (row, i) => {
      const [start, along] = [new Vector3(...row.slice(0, 3)), new Vector3(...row.slice(3, 6))];
      const length = along.sub(start).length();
      const width = Math.min(THICK * length, THICKEST * distance);
      if (length > 0) turn.setFromUnitVectors(UP, along.divideScalar(length));
      this.bones.setColorAt(i, colour.setHSL(HUES[row[6]], row[6] === 3 ? 0 : 0.8, 0.55));
      return matrix.compose(start, turn, new Vector3(width, length, width));
    });
    if (this.bones.instanceColor) this.bones.instanceColor.needsUpdate = true;
  }

  showNets(packed) {
    this.nets.visible = packed !== "";
    if (!packed) return;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    this.nets.geometry.dispose();
    this.nets.geometry = new BufferGeometry();
    this.nets.geometry.setAttribute("position", new BufferAttribute(new Float32Array(bytes.buffer), 3));
  }

  get counts() {
    const edges = this.nets.visible ? this.nets.geometry.getAttribute("position").count / 2 : 0;
    return { bones: this.bones.count, spheres: this.spheres.count, boxes: this.boxes.count, edges };
  }
}

function place(mesh, rows, matrixOf) {
  Object.assign(mesh, { count: rows.length, visible: rows.length > 0 });
  rows.forEach((row, i) => mesh.setMatrixAt(i, matrixOf(row, i)));
  mesh.instanceMatrix.needsUpdate = true;
}
