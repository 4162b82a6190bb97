// Probes: vertices whose displacement, speed and force are charted and can be saved as a table.

import { Chart } from "./charts.js";
import { saveBlob } from "./keeping.js";
import { commands } from "./messages.js";
import { si } from "./units.js";

const MOST = 4;
const STILL = 1e-5; // of the largest speed in the chart: less is rounding
const LONGEST = 36000; // rows of the table: ten minutes

export class Probes {
  /** `model`: place(vertex), geometry; `isPlacing` while the next click puts a probe down. */
  constructor(model, connection) {
    Object.assign(this, { model, connection, probes: [], rows: [], isPlacing: false, last: null, number: 0 });
    this.forces = new Map();
    this.charts = [new Chart("probe-displacement-chart", { fromZero: true, floor: 1e-9 })];
    this.charts.push(new Chart("probe-speed-chart", { fromZero: true, floor: 1e-9 }));
    this.charts.push(new Chart("probe-force-chart", { fromZero: true, floor: 1e-9 }));
    const click = (id, action) => document.getElementById(id).addEventListener("click", action);
    click("probe", () => this.place(!this.isPlacing));
    click("probe-save", () => saveBlob(new Blob([this.table()], { type: "text/csv" }), "pliant-probes.csv"));
    click("probe-clear", () => this.clear());
  }

  place(on) {
    this.isPlacing = on;
    document.getElementById("probe").setAttribute("aria-pressed", String(on));
    document.getElementById("view").classList.toggle("placing", on);
  }

  /** Put a probe on a vertex; a row of the table is about the same probes, so it begins anew. */
  add(vertex) {
    this.place(false);
    const id = this.model.geometry.ids[vertex];
    this.probes = [...this.probes.filter((probe) => probe.id !== id), { id }].slice(-MOST);
    this.begin();
    this.ask();
  }

  clear() {
    const some = this.probes.length > 0;
    this.probes = [];
    this.begin();
    if (some) this.ask();
  }

  /** Forces are the server's to tell. */
  ask() {
    this.forces.clear();
    this.connection.send(commands.probe(this.probes.map(({ id }) => id)));
  }

  hear({ vertices, forces }) {
    vertices.forEach((id, i) => this.forces.set(id, forces[i] ?? 0));
  }

  begin() {
    this.rows = [];
    this.last = null;
    for (const chart of this.charts) chart.clear();
    document.getElementById("probes").hidden = this.probes.length === 0;
  }

  /** Where they are drawn: places of this geometry that are still there. */
  vertices() {
    return this.probes.map(({ id }) => this.model.geometry.places.get(id)).filter((vertex) => vertex !== undefined);
  }

  /** Note a frame; time that went back begins anew. */
  note(frame) {
    if (!this.probes.length || this.last?.time === frame.time) return;
    if (this.last && frame.time < this.last.time) this.begin();
    const { rest } = this.model.geometry;
    const vertices = this.vertices();
    const places = vertices.map((v) => Array.from(this.model.place(v)));
    const away = places.map((x, i) => Math.hypot(...x.map((value, k) => value - rest[3 * vertices[i] + k])));
    const seconds = frame.time - this.last?.time;
    const speeds = places.map((x, i) =>
      this.last?.places[i] ? Math.hypot(...x.map((value, k) => value - this.last.places[i][k])) / seconds : 0,
    );
    const forces = vertices.map((v) => this.forces.get(this.model.geometry.ids[v]) ?? 0);
    this.last = { time: frame.time, places };
    this.rows.push([frame.time, ...places.flatMap((x, i) => [...x, away[i], speeds[i], forces[i]])]);
    if (this.rows.length > LONGEST) this.rows.shift();
    this.charts[0].add(away);
    this.charts[1].add(speeds);
    this.charts[2].add(forces);
    this.number += 1;
    if (this.number % 3 === 0) this.draw(away, speeds, forces);
  }

  draw(away, speeds, forces) {
    document.getElementById("probe-displacement").textContent = away.map((value) => si(value, "m")).join(" · ");
    const least = STILL * Math.max(...this.charts[1].rows.flat());
    const said = speeds.map((value) => si(value < least ? 0 : value, "m/s"));
    document.getElementById("probe-speed").textContent = said.join(" · ");
    document.getElementById("probe-force").textContent = forces.map((value) => si(value, "N")).join(" · ");
    for (const chart of this.charts) chart.draw();
  }

  /** All rows as comma separated values, a column for every quantity of every probe. */
  table() {
    const names = ["x [m]", "y [m]", "z [m]", "displacement [m]", "speed [m/s]", "force [N]"];
    const head = this.probes.flatMap(({ id }) => names.map((name) => `vertex ${id} ${name}`));
    return [["time [s]", ...head], ...this.rows].map((row) => row.join(",")).join("\n") + "\n";
  }
}
