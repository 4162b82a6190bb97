// A hand: pointers and keys that hold a vertex, or turn an interface.

import { Plane, Vector3 } from "./vendor/three.module.js";
import { endHint } from "./hint.js";
import { commands } from "./messages.js";
import { notice } from "./notices.js";
import { pick, pickAround, rayAt } from "./picking.js";

const KEY_MOVE = 0.03; // of the size of the solid
const TURN = 0.01; // [rad] a pixel
const FORGIVEN = { touch: 12, mouse: 3 }; // pixels beside the solid that a pointer may be
const MARK = 6; // pixels: radius of the mark of a kept point
const LONG = 600; // [ms] of a press that keeps the point
const STILL = 8; // pixels that a finger moves without meaning it

export class Grab {
  /** `model`: positions(), place(vertex), geometry; read at the time of a grab. */
  constructor(stage, connection, model, { marks, probes }, onChange) {
    Object.assign(this, { stage, connection, model, marks, probes, onChange, vertex: null, pointer: null, turning: null });
    Object.assign(this, { held: false, force: 0, keeps: false, second: null });
    [this.target, this.beside] = [new Vector3(), new Vector3()];
    this.plane = new Plane();
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(end, (event) => this.up(event));
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener("blur", () => this.release());
  }

  get isPulling() {
    return this.vertex !== null;
  }

  down(event) {
    if (this.isPulling && event.pointerType === "touch") this.startTwist(event);
    const turns = this.model.canTurn && (event.button === 2 || (event.button === 0 && event.altKey));
    if ((event.button !== 0 && !turns) || this.isPulling || !this.model.isReady()) return;
    const hit = this.markedAt(event) ?? this.pickAt(event.clientX, event.clientY, forgiven(event));
    if (!hit) return;
    if (this.probes.isPlacing) {
      this.probes.add(hit.vertex);
      event.stopImmediatePropagation();
      this.onChange();
      return;
    }
    // The camera must not turn meanwhile; its own listener comes after this one.
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.last = this.first = { clientX: event.clientX, clientY: event.clientY };
    if (turns) this.startTurn(hit, event);
    else this.start(hit, event);
    if (event.pointerType === "touch" && !turns) this.pressing = setTimeout(() => this.pressLong(), LONG);
  }

  /** A kept or probed point whose mark is under the pointer. */
  markedAt(event) {
    const far = (place) => Math.hypot(place[0] - event.clientX, place[1] - event.clientY);
    const probed = this.probes.isPlacing ? [] : this.probes.vertices();
    for (const vertex of [...this.model.kept(), ...probed]) {
      const point = new Vector3(...this.model.place(vertex));
      if (far(this.stage.pixelOf(point)) <= Math.max(MARK, forgiven(event))) return { vertex, point };
    }
    return null;
  }

  up(event) {
    if (event.pointerId === this.pointer || (this.turning?.fingers && event.pointerId === this.second)) {
      this.release(event.shiftKey || this.keeps);
    }
  }

  /** A finger that has stayed where it was: the point is kept when it is let go. */
  pressLong() {
    if (!this.held || this.turning) return;
    this.keeps = true;
    navigator.vibrate?.(30);
    notice("The point stays where you let go.");
    this.refresh();
  }

  /** A second finger while one holds: the interface there turns as the two turn about each other. */
  startTwist({ pointerId, clientX, clientY }) {
    if (!this.model.canTurn || this.turning || this.pointer === null) return;
    this.second = pointerId;
    clearTimeout(this.pressing);
    const fingers = [this.last, { clientX, clientY }];
    this.turning = { fingers, from: angleOf(fingers), turned: 0 };
    this.twist();
  }

  /** Two fingers turn what they hold about the line of sight. */
  twist() {
    const { fingers, from, turned } = this.turning;
    // The angle goes on growing beyond half a turn.
    const change = angleOf(fingers) - from - turned;
    this.turning.turned += change - 2 * Math.PI * Math.round(change / (2 * Math.PI));
    const towards = this.stage.camera.getWorldDirection(new Vector3());
    this.sendTurn(towards.multiplyScalar(this.turning.turned));
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
    this.sendTurn(rotation);
  }

  sendTurn(rotation) {
    const command = commands.turn(this.model.geometry.ids[this.vertex], rotation.toArray());
    this.connection.sendSoon("move", command);
    this.stage.canvas.classList.add("pulling");
    this.refresh();
  }

  pickAt(clientX, clientY, forgiven = 0) {
    const solid = [this.model.positions(), this.model.geometry];
    if (forgiven) return pickAround(this.stage, clientX, clientY, forgiven, ...solid);
    return pick(rayAt(this.stage, clientX, clientY), ...solid);
  }

  /** Take a vertex; a pointer that is beside it stays that far beside it. */
  start({ vertex, point }, pointer = null) {
    this.vertex = vertex;
    this.target.set(...this.model.place(vertex));
    const towards = this.stage.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(towards, point);
    const ray = pointer && rayAt(this.stage, pointer.clientX, pointer.clientY);
    this.beside.subVectors(this.target, ray?.intersectPlane(this.plane, new Vector3()) ?? point);
    this.onTouch?.(this.model.geometry.ids[vertex]);
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
    const place = { clientX: event.clientX, clientY: event.clientY };
    if (this.turning?.fingers) {
      const finger = [this.pointer, this.second].indexOf(event.pointerId);
      if (finger >= 0) this.turning.fingers[finger] = place;
      this.twist();
      return;
    }
    if (event.pointerId !== this.pointer) return;
    this.last = place;
    if (this.turning) this.turn(event.clientX, event.clientY);
    else this.drag(place);
  }

  drag({ clientX, clientY }) {
    endHint();
    if (Math.hypot(clientX - this.first.clientX, clientY - this.first.clientY) > STILL) clearTimeout(this.pressing);
    const ray = rayAt(this.stage, clientX, clientY);
    if (!ray.intersectPlane(this.plane, this.target)) return;
    this.target.add(this.beside);
    this.send();
  }

  /** The camera has moved along with the solid: the hand stays under the pointer. */
  carry(move) {
    if (!this.isPulling || this.turning || move.lengthSq() === 0) return;
    this.plane.translate(move);
    this.target.add(move);
    this.send();
  }

  /** What the server says of a hand: that it holds, with which force, or that it does not. */
  hear({ vertex, held, force }) {
    if (!this.isPulling || this.model.geometry?.ids[this.vertex] !== vertex) return;
    if (!held) {
      this.release();
      return;
    }
    Object.assign(this, { held, force });
    this.refresh();
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
    clearTimeout(this.pressing);
    this.vertex = this.pointer = this.turning = this.second = null;
    this.held = this.keeps = false;
    this.force = 0;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("pulling");
    this.connection.flush("move");
    this.connection.send(keep ? commands.keep() : commands.release());
    this.refresh();
  }

  /** Bring the spring to where the vertex is now; a hand that does not hold has none. */
  refresh() {
    const pulls = this.isPulling && this.held && !this.turning;
    const from = pulls && new Vector3(...this.model.place(this.vertex));
    this.marks.showSpring(pulls ? { from, to: this.target, force: this.force, keeps: this.keeps } : null);
    this.onChange();
  }
}

const forgiven = ({ pointerType }) => FORGIVEN[pointerType] ?? 0;
const angleOf = ([a, b]) => Math.atan2(b.clientY - a.clientY, b.clientX - a.clientX);
