// Parts made by hand of a bare mesh: a brush, a knife, a list of parts, and what is good and bad about them.
// The server keeps them and colours the solid; it builds the system beside what is played.

import { Vector3 } from "./vendor/three.module.js";
import { commands } from "./messages.js";
import { middleAround, pickAround, rayAt } from "./picking.js";

const FORGIVEN = 4; // pixels beside the solid
const STILL = 5; // pixels: a knife that moves less is a click
const SPACING = 0.5; // of the radius of a dab, between two of them
const MOST_DABS = 18; // in a stroke; each is at the surface, and in the middle of the body below
const DIGITS = 6;
const TOOLS = { paint: "Painting: drag over the solid", knife: "Cutting: drag a line across it, or click a limb" };
const NEW = -1; // the part that is yet to be
const element = (id) => document.getElementById(`parts-${id}`);

export class PartMaker {
  /** `model`: positions(), geometry, isReady(). `marks`: shows dabs. */
  constructor(stage, model, connection, marks, refresh) {
    Object.assign(this, { stage, model, connection, marks, refresh, facts: null, tool: null, part: NEW, pressed: null });
    Object.assign(this, { dabs: [], middles: [], wasHeld: false, shown: true });
    const { canvas } = stage;
    // Before hands and the camera, which have nothing to do while parts are made.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.up(event));
    for (const tool of Object.keys(TOOLS)) {
      element(tool).addEventListener("click", () => this.take(this.tool === tool ? null : tool));
    }
    element("undo").addEventListener("click", () => connection.send(commands.undoPart()));
    element("propose").addEventListener("click", () => {
      this.hold();
      connection.send(commands.proposeParts(element("method").value, element("count").valueAsNumber || 0));
    });
    element("add").addEventListener("click", () => {
      this.choose(NEW);
      this.take("paint");
    });
    element("name").addEventListener("change", ({ target }) => this.change({ name: target.value.trim() || null }));
    element("modes").addEventListener("change", ({ target }) => this.change({ modes: target.valueAsNumber }));
    element("rigid").addEventListener("change", ({ target }) => this.change({ rigid: target.checked }));
    element("root").addEventListener("change", ({ target }) => this.change({ root: target.checked }));
    element("join").addEventListener("change", ({ target }) => {
      if (target.value !== "") connection.send(commands.joinParts(this.part, Number(target.value)));
      target.value = "";
    });
    element("split").addEventListener("click", () => connection.send(commands.splitPart(this.part)));
    element("show").addEventListener("change", ({ target }) => connection.send(commands.showParts(target.checked)));
    element("build").addEventListener("click", () => this.build(true));
    element("plain").addEventListener("click", () => this.build(false));
  }

  /** The shape as it begins, where all places are meant. */
  hold() {
    this.connection.send(commands.reset());
    this.connection.send(commands.pause());
  }

  take(tool) {
    if (tool !== null && this.tool === null) this.hold();
    Object.assign(this, { tool, dabs: [], middles: [] });
    for (const each of Object.keys(TOOLS)) element(each).setAttribute("aria-pressed", String(each === tool));
    element("hint").textContent = TOOLS[tool] ?? "";
    this.stage.canvas.classList.toggle("placing", tool !== null);
    this.refresh();
  }

  /** The server's word on the mesh; time that runs takes the tools away. */
  show(facts, playing) {
    const before = this.facts?.parts ?? [];
    this.facts = facts;
    element("section").hidden = facts === null || !facts.can_part;
    if (this.tool !== null && (facts === null || (playing && this.wasHeld))) this.take(null);
    this.wasHeld = !playing;
    if (facts === null) return;
    const { parts } = facts;
    if (parts.length > before.length && this.tool === "paint" && this.part === NEW) this.part = parts.length - 1;
    if (this.part >= parts.length) this.part = NEW;
    element("list").replaceChildren(...parts.map((part, k) => this.row(part, k)));
    element("said").replaceChildren(...facts.parts_said.map(sentence));
    for (const id of ["list", "said", "show-row"]) element(id).hidden = parts.length === 0;
    element("undo").disabled = !facts.can_undo_parts;
    element("build").disabled = parts.length < 2;
    element("build").textContent = facts.parted ? "Build again" : "Build the parts";
    element("plain").hidden = !facts.parted;
    this.showPart();
    this.refresh();
  }

  row({ name, colour, share, pieces, rigid, root }, k) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "part" });
    button.setAttribute("aria-pressed", String(k === this.part));
    const patch = document.createElement("i");
    patch.style.background = colour;
    const label = Object.assign(document.createElement("span"), { textContent: name });
    const notes = [rigid ? "rigid" : "", root ? "root" : "", pieces > 1 ? `${pieces} pieces!` : "", percent(share)];
    const note = Object.assign(document.createElement("small"), { textContent: notes.filter(Boolean).join(" · ") });
    button.append(patch, label, note);
    button.addEventListener("click", () => this.choose(k));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }

  choose(part) {
    this.part = part;
    element("list")
      .querySelectorAll("button")
      .forEach((button, k) => button.setAttribute("aria-pressed", String(k === part)));
    this.showPart();
  }

  showPart() {
    const parts = this.facts?.parts ?? [];
    const part = parts[this.part];
    element("one").hidden = !part;
    element("brush-note").textContent = part ? `The brush paints ${part.name}.` : "The brush paints a new part.";
    if (!part) return;
    for (const [id, value] of [["name", part.name], ["modes", String(part.modes)]]) {
      if (document.activeElement !== element(id)) element(id).value = value;
    }
    element("modes").disabled = part.rigid;
    element("rigid").checked = part.rigid;
    element("root").checked = part.root;
    const others = parts.map(({ name }, k) => new Option(name, String(k))).filter((_, k) => k !== this.part);
    element("join").replaceChildren(new Option("choose …", ""), ...others);
  }

  change(said) {
    const [value] = Object.values(said);
    if (value === null || Number.isNaN(value)) this.showPart();
    else this.connection.send(commands.changePart({ part: this.part, ...said }));
  }

  build(on) {
    this.take(null);
    this.connection.send(commands.buildParts(on, element("system").value || null));
  }

  /** Of a dab [m]. */
  get radius() {
    return element("radius").valueAsNumber * (this.facts?.size ?? 1);
  }

  down(event) {
    if (this.tool === null || event.button !== 0 || !this.model.isReady()) return;
    if (this.tool === "paint" ? !this.dab(event) : false) return;
    event.stopImmediatePropagation();
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.pressed = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
  }

  move(event) {
    if (this.pressed?.pointer !== event.pointerId) return;
    if (this.tool === "paint") this.dab(event);
    else this.drawKnife(event);
  }

  up(event) {
    if (this.pressed?.pointer !== event.pointerId) return;
    const from = this.pressed;
    [this.pressed, this.stage.controls.enabled] = [null, true];
    document.getElementById("knife").hidden = true;
    if (event.type === "pointercancel") this.dabs = this.middles = [];
    else if (this.tool === "paint") this.stroke();
    else if (this.tool === "knife") this.cut(from, event);
    this.refresh();
  }

  dab({ clientX, clientY }) {
    const solid = [this.model.positions(), this.model.geometry];
    const hit = pickAround(this.stage, clientX, clientY, FORGIVEN, ...solid);
    if (!hit) return false;
    const near = SPACING * this.radius;
    if (this.dabs.length < MOST_DABS && this.dabs.every((dab) => dab.distanceTo(hit.point) >= near)) {
      this.dabs.push(hit.point);
      this.middles.push(middleAround(this.stage, clientX, clientY, FORGIVEN, ...solid));
    }
    this.refresh();
    return true;
  }

  /** Through the limb below, where that is no thicker than the brush is wide. */
  stroke() {
    const deep = this.middles.filter((middle, k) => middle && middle.distanceTo(this.dabs[k]) < 2 * this.radius);
    const at = [...this.dabs, ...deep].map(rounded);
    this.connection.send(commands.paintPart(this.part === NEW ? null : this.part, at, this.radius));
    this.dabs = this.middles = [];
  }

  /** By the plane through the eye and the line that was drawn; a click cuts a limb where it is. */
  cut(from, { clientX, clientY }) {
    const solid = [this.model.positions(), this.model.geometry];
    if (Math.hypot(clientX - from.x, clientY - from.y) <= STILL) {
      const place = middleAround(this.stage, clientX, clientY, FORGIVEN, ...solid);
      if (place) this.connection.send(commands.cutPart(rounded(place)));
      return;
    }
    const [a, b] = [rayAt(this.stage, from.x, from.y).direction.clone(), rayAt(this.stage, clientX, clientY).direction.clone()];
    const hits = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map((share) => {
      const at = [from.x + share * (clientX - from.x), from.y + share * (clientY - from.y)];
      return middleAround(this.stage, ...at, FORGIVEN, ...solid);
    });
    const place = hits.find(Boolean);
    const normal = a.cross(b).normalize();
    if (place && normal.lengthSq() > 0) this.connection.send(commands.cutPart(rounded(place), rounded(normal)));
  }

  drawKnife({ clientX, clientY }) {
    const [dx, dy] = [clientX - this.pressed.x, clientY - this.pressed.y];
    const knife = document.getElementById("knife");
    Object.assign(knife.style, {
      left: `${this.pressed.x}px`,
      top: `${this.pressed.y}px`,
      width: `${Math.hypot(dx, dy)}px`,
      transform: `rotate(${Math.atan2(dy, dx)}rad)`,
    });
    knife.hidden = Math.hypot(dx, dy) <= STILL;
  }

  /** What the brush is about to paint. */
  draw() {
    if (this.tool === "paint") this.marks.showBrushed(this.dabs.map((dab) => dab.toArray()), this.radius);
  }
}

const rounded = (place) => new Vector3().copy(place).toArray().map((value) => Number(value.toPrecision(DIGITS)));
const percent = (share) => (share < 0.001 ? "below 0.1 %" : `${Number((100 * share).toPrecision(2))} %`);
const sentence = (text) => Object.assign(document.createElement("li"), { textContent: `${text[0].toUpperCase()}${text.slice(1)}.` });
