// What steers the scene: a button that lets it act or not, and a slider for how gently.

import { commands } from "./messages.js";
import { short } from "./units.js";

const element = (id) => document.getElementById(id);
const [LOW, HIGH] = [0.005, 20];
const toGentleness = (place) => LOW * (HIGH / LOW) ** place;
const toPlace = (gentleness) => Math.log(gentleness / LOW) / Math.log(HIGH / LOW);

export class Steering {
  constructor(connection) {
    Object.assign(this, { connection, facts: null, dragged: false });
    const input = element("gentleness");
    Object.assign(input, { min: 0, max: 1, step: 0.01 });
    element("steer").addEventListener("click", () => this.facts && connection.send(commands.steer({ on: !this.facts.on })));
    input.addEventListener("pointerdown", () => (this.dragged = true));
    for (const end of ["change", "pointerup", "pointercancel", "blur"]) {
      input.addEventListener(end, () => (this.dragged = false));
    }
    input.addEventListener("input", () => {
      const gentleness = toGentleness(Number(input.value));
      this.say(gentleness);
      connection.sendSoon("steer", commands.steer({ gentleness }));
    });
  }

  /** Shown where something steers. */
  offer({ following }) {
    this.facts = following;
    element("steer-section").hidden = following === null;
    if (following === null) return;
    const { on, ready, gentleness, failed } = following;
    const button = element("steer");
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Follows its way" : "Left alone";
    element("steer-note").textContent = failed || (ready ? "Knock it with the hand and watch it come back." : "It learns how to come back …");
    if (this.dragged) return;
    element("gentleness").value = toPlace(gentleness);
    this.say(gentleness);
  }

  /** How far it is from where it should be. */
  measure({ off_way: off }) {
    element("off-way").textContent = off === null ? "" : `${(1000 * off).toFixed(1)} mm off`;
  }

  say(gentleness) {
    element("gentleness-value").value = short(gentleness);
  }
}
