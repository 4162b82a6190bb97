// The panel of a bare mesh: what is assumed of it, in controls that change it. The server builds it anew beside what is
// played, and swaps it in.

import { saveScene } from "./keeping.js";
import { commands } from "./messages.js";
import { fromSi, si } from "./units.js";

const NUMBERS = ["size", "poisson", "density"];
const element = (id) => document.getElementById(`mesh-${id}`);

export class MeshPanel {
  /** `brush`: paints what is held. `say`: a sentence for the person. */
  constructor(connection, brush, say) {
    Object.assign(this, { connection, brush, facts: null });
    for (const name of NUMBERS) {
      element(name).addEventListener("change", ({ target }) => this.change({ [name]: target.valueAsNumber }));
    }
    element("young").addEventListener("change", ({ target }) => this.change({ young: fromSi(target.value, "Pa") }));
    element("up").addEventListener("change", ({ target }) => this.change({ up: target.value }));
    element("material").addEventListener("change", ({ target }) => this.change({ material: target.value }));
    element("held").addEventListener("change", ({ target }) => this.hold(target.value));
    element("brush").addEventListener("click", () => brush.paint(!brush.isPainting));
    element("save").addEventListener("click", () => saveScene(say));
    brush.onStroke = (dabs) => this.change({ dabs });
  }

  /** Ask for it with something changed; what is no number is not asked for. */
  change(said) {
    const [value] = Object.values(said);
    if (typeof value !== "number" || Number.isFinite(value)) this.connection.send(commands.remake(said));
    else this.show(this.facts, this.exactness);
  }

  hold(held) {
    this.brush.clear();
    this.brush.paint(held === "painted");
    if (held !== "painted") this.change({ held });
  }

  show(facts, exactness) {
    Object.assign(this, { facts, exactness });
    element("section").hidden = facts === null;
    this.brush.facts = facts;
    if (facts === null) {
      this.brush.clear();
      this.brush.paint(false);
      return;
    }
    this.fillMaterials(facts);
    for (const name of NUMBERS) write(name, String(Number(facts[name].toPrecision(4))));
    write("young", si(facts.young, "Pa"));
    element("up").value = facts.up;
    element("held").value = this.brush.isPainting ? "painted" : facts.held;
    if (element("held").value === "") element("held").value = "said";
    element("material").value = facts.material;
    element("exactness").textContent = exactness ? `It moves in ${exactness}.` : "";
    element("notes").replaceChildren(...facts.notes.map((note) => words("li", note)));
  }

  fillMaterials({ presets, material }) {
    const names = Object.keys(presets);
    if (material && !names.includes(material)) names.push(material);
    if (element("material").dataset.shown === names.join()) return;
    element("material").dataset.shown = names.join();
    const guess = new Option("soft, as guessed", "");
    const options = names.map((name) => new Option(presets[name] ? `${name}, ${si(presets[name][0], "Pa")}` : name, name));
    element("material").replaceChildren(guess, ...options);
  }
}

/** Into a field, unless somebody writes there. */
function write(name, value) {
  if (document.activeElement !== element(name)) element(name).value = value;
}

function words(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
