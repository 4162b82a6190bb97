// Poses that are kept as keyframes: a list with their times, the search for the motion, and the scene as a file.

import { saveScene } from "./keeping.js";
import { commands } from "./messages.js";
import { si } from "./units.js";

const element = (id) => document.getElementById(id);

export class Keyframes {
  constructor(connection, say) {
    this.connection = connection;
    this.shown = "";
    element("keyframe-keep").addEventListener("click", () => connection.send(commands.keepPose()));
    element("motion-find").addEventListener("click", () => connection.send(commands.findMotion()));
    element("keyframes-save").addEventListener("click", () => saveScene(say));
  }

  show({ can_keyframe: can, keyframes, missed }) {
    element("keyframes-section").hidden = !can;
    for (const id of ["motion-find", "keyframes-save"]) element(id).disabled = keyframes.length === 0;
    element("keyframes-note").textContent =
      missed === null ? "" : `The motion passes all of them within ${si(missed, "m")}.`;
    if (this.shown === JSON.stringify(keyframes)) return;
    this.shown = JSON.stringify(keyframes);
    element("keyframes").replaceChildren(...keyframes.map((time, number) => this.row(time, number)));
  }

  row(time, number) {
    const row = document.createElement("li");
    const input = Object.assign(document.createElement("input"), {
      type: "number",
      min: "0.01",
      step: "any",
      value: String(Number(time.toPrecision(6))),
      inputMode: "decimal",
    });
    input.setAttribute("aria-label", `Time of keyframe ${number + 1} in seconds`);
    input.addEventListener("change", () => {
      const wanted = Number(input.value);
      if (wanted > 0) this.connection.send(commands.timeKeyframe(number, wanted));
      else input.value = String(time);
    });
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove" });
    remove.setAttribute("aria-label", `Remove keyframe ${number + 1}`);
    remove.addEventListener("click", () => this.connection.send(commands.dropKeyframe(number)));
    const name = Object.assign(document.createElement("span"), { textContent: `${number + 1}` });
    const unit = Object.assign(document.createElement("span"), { textContent: "s" });
    row.append(name, input, unit, remove);
    return row;
  }
}
