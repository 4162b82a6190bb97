// Bones placed by hand in a bare mesh: two clicks each, through the middle of the body there; a brush for their weights.
// The server keeps them, and builds the character beside what is played.

import { Color, Vector3 } from "./vendor/three.module.js";
import { commands } from "./messages.js";
import { middleAround, pickAround } from "./picking.js";
import { Skeletons } from "./skeletons.js";

const FORGIVEN = 4; // pixels beside the solid
const STILL = 5; // pixels that a click may move
const SPACING = 0.5; // of the radius of a dab, between two of them
const MOST_DABS = 40; // in a stroke
const DIGITS = 6;
const KINDS = ["soft", "rigid", "kinematic", "static"];
const WORDS = { soft: "soft", rigid: "rigid", kinematic: "led by hand", static: "stands still" };
const element = (id) => document.getElementById(`rig-${id}`);

export class Rigging {
  /** `model`: positions(), geometry, isReady(). `marks`: shows places. `say`: a sentence for the person. */
  constructor(stage, model, connection, marks, refresh, say) {
    Object.assign(this, { stage, model, connection, marks, refresh, say });
    Object.assign(this, { facts: null, mode: null, start: null, bone: 0, stroke: null, dabs: [], pressed: null, wasBuilt: false });
    const colour = (name) => new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    this.skeletons = new Skeletons((thing) => this.add(thing), colour);
    const { canvas } = stage;
    // Before hands and the camera, which have nothing to do while bones are placed.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.stroke === event.pointerId && this.dab(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.up(event));
    element("place").addEventListener("click", () => this.enter(this.mode === "place" ? null : "place"));
    for (const [id, share] of [["paint", 1], ["erase", 0]]) {
      element(id).addEventListener("click", () => this.enter(this.mode === id ? null : id, share));
    }
    element("undo").addEventListener("click", () => this.takeBack());
    element("find").addEventListener("click", () => {
      this.enter("place");
      connection.send(commands.findBones(element("count").valueAsNumber || 0));
    });
    element("bone").addEventListener("change", ({ target }) => this.choose(Number(target.value)));
    element("name").addEventListener("change", ({ target }) => this.change({ name: target.value.trim() || null }));
    element("form").addEventListener("change", ({ target }) => this.change({ form: target.value }));
    element("reach").addEventListener("change", ({ target }) => this.change({ reach: target.valueAsNumber }));
    element("build").addEventListener("click", () => this.build(true));
    element("plain").addEventListener("click", () => this.build(false));
    element("form").replaceChildren(...KINDS.map((kind) => new Option(WORDS[kind], kind)));
  }

  add(thing) {
    thing.renderOrder = 9;
    thing.frustumCulled = false;
    thing.visible = false;
    if (thing.isInstancedMesh) thing.count = 0;
    this.stage.scene.add(thing);
    return thing;
  }

  /** Place or paint: the shape is held as it begins, where all places are meant. Null: no more. */
  enter(mode, share = 1) {
    if (mode !== null && this.mode === null) {
      this.connection.send(commands.reset());
      this.connection.send(commands.pause());
    }
    Object.assign(this, { mode, share, start: null, dabs: [] });
    const pressed = (id, on) => element(id).setAttribute("aria-pressed", String(on));
    for (const id of ["place", "paint", "erase"]) pressed(id, mode === id);
    element("place").querySelector("span").textContent = mode === "place" ? "Placing: click two places" : "Place bones";
    this.stage.canvas.classList.toggle("placing", mode !== null);
    this.refresh();
  }

  /** The server's word on the mesh; time that runs ends the placing. */
  show(facts, playing) {
    this.facts = facts;
    element("section").hidden = facts === null;
    if (this.mode !== null && (facts === null || (playing && this.wasHeld))) this.enter(null);
    this.wasHeld = !playing;
    if (facts === null) return;
    const { bones } = facts;
    this.bone = Math.min(this.bone, Math.max(0, bones.length - 1));
    if (this.counted !== undefined && bones.length > this.counted) this.bone = bones.length - 1;
    this.counted = bones.length;
    element("bones").hidden = bones.length === 0;
    element("undo").disabled = !facts.can_undo_bones;
    element("build").disabled = bones.length === 0;
    element("build").textContent = facts.character ? "Build again" : "Build the character";
    element("plain").hidden = !facts.character;
    const names = bones.map(({ name }) => name);
    if (element("bone").dataset.shown !== JSON.stringify(names)) {
      element("bone").dataset.shown = JSON.stringify(names);
      element("bone").replaceChildren(...names.map((name, k) => new Option(name, String(k))));
    }
    this.showBone();
    this.refresh();
  }

  showBone() {
    const bone = this.facts?.bones[this.bone];
    if (!bone) return;
    element("bone").value = String(this.bone);
    element("form").value = bone.form;
    for (const [id, value] of [["name", bone.name], ["reach", String(bone.reach)]]) {
      if (document.activeElement !== element(id)) element(id).value = value;
    }
    const strokes = bone.strokes === 1 ? "one stroke" : `${bone.strokes} strokes`;
    element("note").textContent = bone.strokes ? `${strokes} on its weights; build again to see them` : "";
  }

  choose(bone) {
    Object.assign(this, { bone, dabs: [] });
    this.showBone();
    this.refresh();
  }

  change(said) {
    const [value] = Object.values(said);
    if (value === null || Number.isNaN(value)) this.showBone();
    else this.connection.send(commands.changeBone({ bone: this.bone, ...said }));
  }

  /** The first of two places, or the last thing that the server knows. */
  takeBack() {
    if (this.start !== null) this.start = null;
    else this.connection.send(commands.undoBone());
    this.refresh();
  }

  build(on) {
    this.enter(null);
    const [modes, weights] = [element("modes").valueAsNumber || 10, element("weights").value];
    this.connection.send(commands.buildBones(on, modes, weights));
  }

  down(event) {
    if (this.mode === null || event.button !== 0 || !this.model.isReady()) return;
    if (this.mode === "place") {
      if (this.middle(event)) this.hold(event);
      return;
    }
    if (!this.facts.bones.length || !this.dab(event)) return;
    this.hold(event);
    this.stroke = event.pointerId;
  }

  /** Neither hand nor camera hears of this pointer. */
  hold(event) {
    event.stopImmediatePropagation();
    this.stage.controls.enabled = false;
    this.pressed = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
  }

  up(event) {
    if (this.pressed?.pointer !== event.pointerId) return;
    const moved = Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y);
    [this.pressed, this.stage.controls.enabled] = [null, true];
    if (this.stroke !== null) this.endStroke();
    else if (moved <= STILL) this.click(event);
    this.refresh();
  }

  click(event) {
    const place = this.middle(event);
    if (place === null) return;
    if (this.start === null) {
      this.start = place;
      return;
    }
    this.connection.send(commands.placeBone([this.start, place].map(rounded)));
    this.start = null;
  }

  /** In the middle of the body under a pointer; null beside it. */
  middle({ clientX, clientY }) {
    return middleAround(this.stage, clientX, clientY, FORGIVEN, this.model.positions(), this.model.geometry);
  }

  dab({ clientX, clientY }) {
    const hit = pickAround(this.stage, clientX, clientY, FORGIVEN, this.model.positions(), this.model.geometry);
    if (!hit) return false;
    const near = SPACING * this.facts.brush;
    if (this.dabs.length < MOST_DABS && this.dabs.every((dab) => dab.distanceTo(hit.point) >= near)) this.dabs.push(hit.point);
    this.refresh();
    return true;
  }

  endStroke() {
    this.stroke = null;
    this.connection.send(commands.paintBone(this.bone, this.dabs.map(rounded), this.share));
    this.dabs = [];
  }

  /** Bones that are placed, over the shape as it begins; what is chosen has a mark at each end. */
  draw(distance) {
    const on = this.mode !== null && this.facts !== null;
    const bones = on ? this.facts.bones : [];
    this.skeletons.showBones(bones.map(({ ends, form }) => [...ends[0], ...ends[1], KINDS.indexOf(form)]), distance);
    const chosen = bones[this.bone]?.ends ?? [];
    const started = this.start === null ? [] : [this.start.toArray()];
    this.marks.showPlaced(on ? [...chosen, ...started] : []);
    this.marks.showBrushed(on ? this.dabs.map((dab) => dab.toArray()) : [], this.facts?.brush ?? 0);
  }

  get counts() {
    return { bones: this.skeletons.bones.count, mode: this.mode, started: this.start !== null };
  }
}

const rounded = (place) => new Vector3().copy(place).toArray().map((value) => Number(value.toPrecision(DIGITS)));
