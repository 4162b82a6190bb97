// The section of characters: which bone's weight is shown, and the clip that leads bones.

import { commands } from "./messages.js";
import { short } from "./units.js";

const element = (id) => document.getElementById(id);

export class Characters {
  constructor(connection, colouring, refresh) {
    Object.assign(this, { connection, colouring, refresh, status: null, busy: false });
    const slider = element("clip");
    slider.addEventListener("input", () => {
      this.busy = true;
      this.say(Number(slider.value));
      connection.sendSoon("scrub", commands.scrub(Number(slider.value)));
    });
    slider.addEventListener("change", () => {
      this.busy = false;
    });
    element("clip-on").addEventListener("click", () => connection.send(commands.scrub(null)));
    element("bone").addEventListener("change", () => this.choose());
    element("colour").addEventListener("change", () => this.offerBones());
  }

  /** Shown where there are characters. */
  offer(status) {
    this.status = status;
    element("characters-section").hidden = status.rigs.length === 0;
    element("colour-weight").hidden = status.rigs.length === 0;
    element("clip-box").hidden = status.clip === null;
    element("clip-on").disabled = status.clip?.held === null;
    if (status.clip) element("clip").max = String(status.clip.duration);
    const names = status.rigs.flatMap(({ name, bones, parts }) =>
      bones.map((bone, k) => [status.rigs.length > 1 ? `${name}, ${bone}` : bone, parts[k]]),
    );
    const shown = JSON.stringify(names);
    if (element("bone").dataset.shown !== shown) {
      element("bone").dataset.shown = shown;
      element("bone").replaceChildren(...names.map(([label, part]) => new Option(label, String(part))));
      this.choose();
    }
    this.offerBones();
  }

  offerBones() {
    element("bone-row").hidden = element("colour").value !== "weight";
  }

  choose() {
    this.colouring.bone = Number(element("bone").value);
    this.refresh();
  }

  /** The slider goes along with the clip, unless somebody moves it. */
  follow(time) {
    const clip = this.status?.clip;
    if (!clip || this.busy) return;
    const now = Math.min(Math.max(clip.held ?? time + clip.shift, 0), clip.duration);
    element("clip").value = String(now);
    this.say(now);
  }

  say(time) {
    element("clip-value").textContent = `${short(time)} s`;
  }
}
