// A hand: pointers and keys that hold a vertex, and the line that shows it.

import {
  BufferGeometry,
  Color,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  Plane,
  SphereGeometry,
  Vector3,
} from "./vendor/three.module.js";
import { commands } from "./messages.js";
import { pick, rayAt } from "./picking.js";

const KEY_MOVE = 0.03; // of the size of the solid
const TURN = 0.01; // [rad] a pixel

export class Grab {
  /** `model`: positions(), place(vertex), geometry; read at the time of a grab. */
  constructor(stage, connection, model, onChange) {
    Object.assign(this, { stage, connection, model, onChange, vertex: null, pointer: null, turning: null });
    [this.target, this.beside] = [new Vector3(), new Vector3()];
    this.plane = new Plane();
    this.drawHand();
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(end, (event) => event.pointerId === this.pointer && this.release(event.shiftKey));
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener("blur", () => this.release());
  }

  get isPulling() {
    return this.vertex !== null;
  }

  drawHand() {
    const colour = new Color(getComputedStyle(document.documentElement).getPropertyValue("--hand").trim());
    const above = { color: colour, depthTest: false, transparent: true };
    this.line = new Line(
      new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]),
      new LineBasicMaterial(above),
    );
    this.ends = [0, 1].map(() => new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial(above)));
    this.line.frustumCulled = false;
    for (const thing of [this.line, ...this.ends]) {
      thing.visible = false;
      thing.renderOrder = 10;
      this.stage.scene.add(thing);
    }
  }

  down(event) {
    const turns = this.model.canTurn && (event.button === 2 || (event.button === 0 && event.altKey));
    if ((event.button !== 0 && !turns) || this.isPulling || !this.model.isReady()) return;
    const hit = this.pickAt(event.clientX, event.clientY);
    if (!hit) return;
    // The camera must not turn meanwhile; its own listener comes after this one.
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    if (turns) this.startTurn(hit, event);
    else this.start(hit);
  }

  /** Take the interface next to a vertex, to turn it as the pointer moves from here. */
  startTurn({ vertex, point }, { clientX, clientY }) {
    this.vertex = vertex;
    this.target.copy(point);
    this.turning = { clientX, clientY };
    this.turn(clientX, clientY);
  }

  /** Across turns about the vertical of the picture, up and down about its horizontal. */
  turn(clientX, clientY) {
    const [x, y] = [new Vector3(), new Vector3()];
    this.stage.camera.matrixWorld.extractBasis(x, y, new Vector3());
    const rotation = y.multiplyScalar((clientX - this.turning.clientX) * TURN);
    rotation.addScaledVector(x, (clientY - this.turning.clientY) * TURN);
    const command = commands.turn(this.model.geometry.ids[this.vertex], rotation.toArray());
    this.connection.sendSoon("move", command);
    this.stage.canvas.classList.add("pulling");
    this.onChange();
  }

  pickAt(clientX, clientY) {
    return pick(rayAt(this.stage, clientX, clientY), this.model.positions(), this.model.geometry.triangles);
  }

  start({ vertex, point }) {
    this.vertex = vertex;
    this.target.set(...this.model.place(vertex));
    this.beside.subVectors(this.target, point);
    const towards = this.stage.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(towards, point);
    this.connection.send(commands.grab(this.model.geometry.ids[vertex], this.target.toArray()));
    this.stage.canvas.classList.add("pulling");
    this.refresh();
  }

  /** Grab what is in the middle of the picture, for those without a pointer. */
  startInMiddle() {
    if (this.isPulling || !this.model.isReady()) return false;
    const box = this.stage.canvas.getBoundingClientRect();
    const { right, bottom } = this.stage.inset;
    const hit = this.pickAt(box.left + (box.width - right) / 2, box.top + (box.height - bottom) / 2) ?? this.nearest();
    this.start(hit);
    return true;
  }

  /** The vertex nearest to the point the camera turns about. */
  nearest() {
    const positions = this.model.positions();
    const [point, best] = [new Vector3(), { vertex: 0, point: new Vector3(), distance: Infinity }];
    for (let v = 0; 3 * v < positions.length; v += 1) {
      const distance = point.fromArray(positions, 3 * v).distanceTo(this.stage.controls.target);
      if (distance < best.distance) Object.assign(best, { vertex: v, point: point.clone(), distance });
    }
    return best;
  }

  move(event) {
    if (!this.isPulling) {
      if (event.pointerType === "mouse" && !event.buttons) this.hover(event);
      return;
    }
    if (event.pointerId !== this.pointer) return;
    if (this.turning) {
      this.turn(event.clientX, event.clientY);
      return;
    }
    const ray = rayAt(this.stage, event.clientX, event.clientY);
    if (!ray.intersectPlane(this.plane, this.target)) return;
    this.target.add(this.beside);
    this.send();
  }

  /** Show by the pointer that the solid can be pulled; at most once a frame, since it asks for all positions. */
  hover(event) {
    if (this.hovering || !this.model.isReady()) return;
    this.hovering = true;
    requestAnimationFrame(() => {
      this.hovering = false;
      this.stage.canvas.classList.toggle("over", this.pickAt(event.clientX, event.clientY) !== null);
    });
  }

  /** Move the hand in the plane of the picture, in steps. */
  nudge(right, up) {
    if (this.turning) return;
    const step = KEY_MOVE * this.stage.bounds.size;
    const [x, y] = [new Vector3(), new Vector3()];
    this.stage.camera.matrixWorld.extractBasis(x, y, new Vector3());
    this.target.addScaledVector(x, right * step).addScaledVector(y, up * step);
    this.send();
  }

  send() {
    this.connection.sendSoon("move", commands.move(this.target.toArray()));
    this.refresh();
  }

  /** Let go; `keep` leaves the solid held where it is. */
  release(keep = false) {
    if (!this.isPulling) return;
    this.vertex = this.pointer = this.turning = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("pulling");
    this.connection.flush("move");
    this.connection.send(keep ? commands.keep() : commands.release());
    this.refresh();
  }

  /** Bring the line to where the vertex is now. */
  refresh() {
    const pulls = this.isPulling && !this.turning;
    for (const thing of [this.line, ...this.ends]) thing.visible = pulls;
    if (pulls) {
      const from = new Vector3(...this.model.place(this.vertex));
      this.line.geometry.setFromPoints([from, this.target]);
      const size = 0.008 * this.stage.camera.position.distanceTo(this.stage.controls.target) * 0.9;
      this.ends[0].position.copy(from);
      this.ends[1].position.copy(this.target);
      this.ends[0].scale.setScalar(0.6 * size);
      this.ends[1].scale.setScalar(size);
    }
    this.onChange();
  }
}
