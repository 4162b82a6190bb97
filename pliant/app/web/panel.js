// The panel: shows the status of the simulation and turns what people do there into commands.

import { fillGallery } from "./gallery.js";
import { commands } from "./messages.js";
import { sliderKinds } from "./sliders.js";
import { short, si } from "./units.js";

const element = (id) => document.getElementById(id);

export class Panel {
  constructor(connection) {
    this.connection = connection;
    this.status = null;
    this.busy = new Set();
    this.kinds = {};
    this.wireButtons();
    this.wireSliders();
    this.wireSheet();
  }

  wireButtons() {
    const send = (make) => () => this.status && this.connection.send(make(this.status));
    const click = (id, make) => element(id).addEventListener("click", send(make));
    click("play", (status) => (status.playing ? commands.pause() : commands.play()));
    click("step", () => commands.step());
    click("reset", () => commands.reset());
    click("record", (status) => commands.record(!status.recording));
    click("free", () => commands.free());
    click("drop-another", () => commands.drop());
    click("sketch", (status) => commands.sketch(!status.sketching));
    click("defaults", () => commands.defaults());
    click("undo", () => commands.undo());
    click("save", () => commands.save());
    click("mode-back", (status) => commands.mode(neighbour(status, -1)));
    click("mode-next", (status) => commands.mode(neighbour(status, 1)));
    element("scene").addEventListener("change", (event) => this.connection.send(commands.scene(event.target.value)));
    element("speed").addEventListener("change", ({ target }) =>
      this.connection.send(commands.pace(Number(target.value))),
    );
    element("mode").addEventListener("change", ({ target }) =>
      this.connection.send(commands.mode(target.value === "" ? null : Number(target.value))),
    );
  }

  wireSliders() {
    for (const box of document.querySelectorAll(".slider")) {
      const { setting } = box.dataset;
      const input = box.querySelector("input");
      input.addEventListener("input", () => this.slide(setting, input));
      input.addEventListener("pointerdown", () => this.busy.add(setting));
      for (const end of ["change", "pointerup", "pointercancel", "blur"]) {
        input.addEventListener(end, () => this.busy.delete(setting));
      }
    }
    element("direction").addEventListener("change", () => this.slide("gravity", element("gravity")));
  }

  slide(setting, input) {
    const kind = this.kinds[setting];
    if (!kind) return;
    const value = kind.toSetting(Number(input.value));
    this.say(setting, input, value);
    const change = setting === "gravity" ? direction().map((d) => d * value) : value;
    this.connection.sendSoon(`set-${setting}`, commands.set({ [setting]: change }));
  }

  /** On a phone the panel is a sheet that opens. */
  wireSheet() {
    element("handle").addEventListener("click", () => {
      const open = element("panel").classList.toggle("open");
      element("handle").setAttribute("aria-expanded", String(open));
    });
  }

  show(status) {
    const before = this.status;
    this.status = status;
    this.kinds = sliderKinds(status);
    this.showTransport(status);
    if (JSON.stringify(before?.scenes) !== JSON.stringify(status.scenes)) this.fillScenes(status.scenes);
    element("scene").value = status.scene;
    for (const button of element("thumbnails").children) {
      button.setAttribute("aria-pressed", String(button.dataset.scene === status.scene));
    }
    element("claim").textContent = status.scenes.find(({ name }) => name === status.scene)?.claim ?? "";
    for (const box of document.querySelectorAll("[data-setting]")) {
      box.classList.toggle("stuck", !status.tunable.includes(box.dataset.setting));
    }
    element("solid-section").hidden = status.tunable.length === 0;
    element("throw-section").hidden = !status.can_throw;
    for (const setting of Object.keys(this.kinds)) this.showSetting(setting, status.settings[setting]);
    this.showModes(status);
    this.showKeeping(status);
    this.showStates(status);
  }

  /** How fast time runs, and what one can go back to. */
  showStates({ speed, tuned, can_undo: canUndo, saved }) {
    element("speed").value = String(speed);
    element("defaults").hidden = !tuned;
    element("undo").disabled = !canUndo;
    const shown = JSON.stringify(saved);
    if (element("saved").dataset.shown === shown) return;
    element("saved").dataset.shown = shown;
    element("saved").replaceChildren(
      ...saved.map((time, number) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `${number + 1} · ${si(time, "s")}`;
        button.title = `Back to the state saved at ${si(time, "s")}`;
        button.addEventListener("click", () => this.connection.send(commands.load(number)));
        return button;
      }),
    );
  }

  showTransport({ playing, diverged, geometry }) {
    element("play").setAttribute("aria-pressed", String(playing));
    element("play").querySelector("span").textContent = playing ? "Pause" : "Play";
    for (const id of ["play", "step"]) element(id).disabled = geometry === 0 || diverged !== null;
    element("reset").disabled = geometry === 0;
  }

  showSetting(setting, value) {
    const input = element(setting);
    const kind = this.kinds[setting];
    Object.assign(input, kind.range);
    let number = value;
    if (setting === "gravity") {
      number = Math.hypot(...value);
      showDirection(value, number);
    }
    // A slider that is being dragged knows better than the server what it shows.
    if (this.busy.has(setting)) return;
    input.value = kind.toSlider(number);
    this.say(setting, input, number);
  }

  say(setting, input, value) {
    const words = this.kinds[setting].text(value);
    input.closest(".slider").querySelector("output").textContent = words;
    input.setAttribute("aria-valuetext", words);
  }

  showModes({ frequencies, mode, slowed }) {
    const select = element("mode");
    const options = [["", "Off"], ...frequencies.map((f, k) => [String(k), `${k + 1} · ${short(f ?? 0)} Hz`])];
    if (select.dataset.shown !== JSON.stringify(options)) {
      select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
      select.dataset.shown = JSON.stringify(options);
    }
    select.value = mode === null ? "" : String(mode);
    element("modes-section").hidden = frequencies.length === 0;
    const slow = slowed > 1.01 ? `, shown ${short(slowed)} times slower` : "";
    element("mode-note").textContent =
      mode === null ? "" : `Mode ${mode + 1} at ${short(frequencies[mode])} Hz${slow}.`;
  }

  showKeeping({ recording, recorded, sketching, can_sketch: canSketch, pins }) {
    element("pins-section").hidden = pins.length === 0;
    element("free").querySelector("span").textContent = pins.length === 1 ? "Let go of it" : `Let go of all ${pins.length}`;
    element("record").setAttribute("aria-pressed", String(recording));
    element("record").querySelector("span").textContent = recording ? "Stop" : "Record";
    for (const ending of ["glb", "html"]) element(`download-${ending}`).disabled = recorded === null;
    element("sketch-section").hidden = !canSketch;
    element("sketch").setAttribute("aria-pressed", String(sketching));
    element("sketch").querySelector("span").textContent = sketching ? "Build from 0 pulls" : "Start a sketch";
  }

  /** Numbers that move: how long the recording is, how many pulls are noted. */
  count({ recorded, pulls }) {
    if (this.status?.recording) element("record").querySelector("span").textContent = `Stop · ${recorded.toFixed(1)} s`;
    if (this.status?.sketching) element("sketch").querySelector("span").textContent = `Build from ${pulls} pulls`;
  }

  fillScenes(scenes) {
    fillGallery(scenes, this.connection);
    element("scene").replaceChildren(...scenes.map(({ name, title }) => new Option(title, name)));
    const buttons = scenes.filter(({ pictured }) => pictured).map(thumbnail);
    for (const button of buttons) {
      button.addEventListener("click", () => this.connection.send(commands.scene(button.dataset.scene)));
    }
    element("thumbnails").replaceChildren(...(buttons.length > 1 ? buttons : []));
  }
}

/** The mode before or after the one that is shown; beyond the ends there is none. */
export function neighbour({ mode, frequencies }, step) {
  const next = mode === null ? (step > 0 ? 0 : frequencies.length - 1) : mode + step;
  return next < 0 || next >= frequencies.length ? null : next;
}

function thumbnail({ name, title }) {
  const button = document.createElement("button");
  const picture = document.createElement("img");
  picture.src = `thumbnails/${encodeURIComponent(name)}`;
  picture.alt = title;
  button.type = "button";
  button.title = title;
  button.dataset.scene = name;
  button.append(picture);
  return button;
}

const direction = () => element("direction").value.split(",").map(Number);

function showDirection(gravity, size) {
  if (size === 0) return;
  const matches = (option) => option.value.split(",").every((d, i) => Math.abs(gravity[i] - d * size) < 1e-6 * size);
  const option = [...element("direction").options].find(matches);
  if (option) element("direction").value = option.value;
}
