// A brush that paints what is held: dabs on the surface, each as wide as the server says.

import { Vector3 } from "./vendor/three.module.js";
import { pickAround } from "./picking.js";

const FORGIVEN = 4; // pixels beside the solid
const SPACING = 0.7; // of the radius of a dab, between two of them

export class Brush {
  /** `model`: positions(), place(vertex), geometry, isReady(). */
  constructor(stage, model, onChange, say) {
    Object.assign(this, { stage, model, onChange, say, facts: null, isPainting: false, ids: [], stroke: null });
    this.onStroke = () => {};
    const { canvas } = stage;
    // Before hands and the camera, which have nothing to do while it paints.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.stroke === event.pointerId && this.dab(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.up(event));
  }

  paint(on) {
    this.isPainting = on;
    const button = document.getElementById("mesh-brush");
    button.setAttribute("aria-pressed", String(on));
    button.querySelector("span").textContent = on ? "Painting: drag over the solid" : "Paint what is held";
    this.stage.canvas.classList.toggle("placing", on);
    this.onChange();
  }

  clear() {
    this.ids = [];
    this.onChange();
  }

  down(event) {
    if (!this.isPainting || event.button !== 0 || !this.model.isReady() || !this.dab(event)) return;
    event.stopImmediatePropagation();
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stroke = event.pointerId;
  }

  up(event) {
    if (event.pointerId !== this.stroke) return;
    this.stroke = null;
    this.stage.controls.enabled = true;
    this.onStroke(this.ids);
  }

  /** A dab under the pointer, unless there is one; returns whether the solid is there. */
  dab({ clientX, clientY }) {
    const solid = [this.model.positions(), this.model.geometry];
    const hit = pickAround(this.stage, clientX, clientY, FORGIVEN, ...solid);
    if (!hit) return false;
    const near = SPACING * this.facts.brush;
    if (this.places().some((place) => new Vector3(...place).distanceTo(hit.point) < near)) return true;
    if (this.ids.length >= this.facts.dabs) this.say(`The brush is empty after ${this.facts.dabs} dabs.`, "info");
    else this.ids.push(this.model.geometry.ids[hit.vertex]);
    this.onChange();
    return true;
  }

  /** Where the dabs are now. */
  places() {
    if (!this.isPainting || !this.model.geometry) return [];
    const vertices = this.ids.map((id) => this.model.geometry.places.get(id));
    return vertices.filter((vertex) => vertex !== undefined).map((vertex) => Array.from(this.model.place(vertex)));
  }
}
