// Colours a surface by a field and shows the legend; takes the surface's own colours back when there is none.

import { BufferAttribute, Color, SRGBColorSpace } from "./vendor/three.module.js";
import { FIELDS, boneWeights, fieldValues, partColours, toldValues } from "./field.js";
import { short, si } from "./units.js";

// Viridis, dark to light; style.css draws the same into the legend.
const MAP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map((hex) =>
  new Color().setStyle(hex, SRGBColorSpace).toArray(),
);
const CALM = 0.995; // of the range is left a frame after the values have fallen
const SMALLEST = 1e-6; // of the size, or as a strain: no range is less

export class Colouring {
  constructor(stage) {
    Object.assign(this, { stage, field: null, top: 0, surface: null, bone: 0 });
    this.legend = document.getElementById("legend");
  }

  /** By which field from now on; null: its own colours. */
  choose(field) {
    this.restore();
    this.field = field in FIELDS ? field : null;
    [this.top, this.loose, this.told] = [0, 0, null];
    this.legend.hidden = this.field === null || Boolean(FIELDS[this.field].blended);
    if (this.field) this.legend.querySelector(".title").textContent = FIELDS[this.field].title;
  }

  /** Colour what is shown now. */
  show(surface, isFree) {
    if (!this.field) return;
    if (FIELDS[this.field].blended) {
      if (surface !== this.surface) this.blend(surface);
      return;
    }
    const { geometry } = surface;
    const values = this.values(surface, isFree);
    if (values?.length !== geometry.count) return;
    if (surface !== this.surface) this.adopt(surface);
    this.fit(values);
    const colours = this.attribute.array;
    const { source } = geometry.corners;
    for (let c = 0; c < source.length; c += 1) mapColour(values[source[c]] / this.top, colours, 3 * c);
    this.attribute.needsUpdate = true;
  }

  /** Parts stay what they are, so their colours are laid on once. */
  blend(surface) {
    this.adopt(surface);
    const mixed = partColours(surface.geometry, (hue) => new Color().setHSL(hue, 0.6, 0.52, SRGBColorSpace).toArray());
    surface.geometry.corners.source.forEach((v, c) => this.attribute.array.set(mixed.subarray(3 * v, 3 * v + 3), 3 * c));
    this.attribute.needsUpdate = true;
  }

  values(surface, isFree) {
    if (FIELDS[this.field].told) return this.told;
    if (this.field === "weight") return boneWeights(surface.geometry, this.bone);
    return fieldValues(this.field, surface.geometry, surface.positions(), isFree);
  }

  /** What the server tells of a field that only it knows. */
  hear(report) {
    if (FIELDS[this.field]?.told) this.told = toldValues(report);
  }

  /** The range ends at a round number; it grows at once, and shrinks slowly. */
  fit(values) {
    let most = SMALLEST * (this.field === "displacement" ? this.stage.bounds.size : 1);
    for (const value of values) if (value > most) most = value;
    const wanted = round(most);
    this.loose = Math.max(most, CALM * (this.loose ?? 0));
    if (wanted > this.top || round(this.loose) < this.top) this.top = wanted;
    const words = this.field === "strain" ? `${short(100 * this.top)} %` : si(this.top, FIELDS[this.field].unit);
    const [low, high] = this.legend.querySelectorAll("output");
    low.textContent = "0";
    high.textContent = FIELDS[this.field].told ? `≥ ${words}` : words;
  }

  adopt(surface) {
    this.surface = surface;
    const { mesh } = surface;
    const { material } = mesh;
    this.before = {
      colours: mesh.geometry.getAttribute("color") ?? null,
      vertexColors: material.vertexColors,
      colour: material.color.clone(),
      map: material.map,
    };
    this.attribute = new BufferAttribute(new Float32Array(3 * surface.geometry.corners.source.length), 3);
    mesh.geometry.setAttribute("color", this.attribute);
    material.color.set(0xffffff);
    material.map = null;
    material.vertexColors = true;
    material.needsUpdate = true;
  }

  restore() {
    const { surface, before } = this;
    this.surface = null;
    if (!surface) return;
    const { geometry, material } = surface.mesh;
    if (before.colours) geometry.setAttribute("color", before.colours);
    else geometry.deleteAttribute("color");
    material.vertexColors = before.vertexColors;
    material.map = before.map;
    material.color.copy(before.colour);
    material.needsUpdate = true;
  }
}

/** The next of 1, 2, 5, 10, ... */
export function round(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * unit).find((step) => step >= value * (1 - 1e-9));
}

function mapColour(share, out, at) {
  const place = Math.min(1, Math.max(0, share || 0)) * (MAP.length - 1);
  const k = Math.min(MAP.length - 2, Math.floor(place));
  for (let i = 0; i < 3; i += 1) out[at + i] = MAP[k][i] + (place - k) * (MAP[k + 1][i] - MAP[k][i]);
}
