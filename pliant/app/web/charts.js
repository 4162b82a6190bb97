// Small live charts: lines over the last few seconds, drawn on a canvas.

import { short, si } from "./units.js";

const LENGTH = 200;
const LINES = 6;
const SLOW = 0.5; // of real time: below this the simulation visibly lags

export class Chart {
  /** `floor`: the smallest height of the vertical axis; `mark`: a value that gets a dashed line. */
  constructor(id, { floor = 0, mark = null, fromZero = false } = {}) {
    this.canvas = document.getElementById(id);
    Object.assign(this, { floor, mark, fromZero, rows: [] });
  }

  clear() {
    this.rows = [];
  }

  add(values) {
    this.rows.push(values);
    if (this.rows.length > LENGTH) this.rows.shift();
  }

  draw() {
    const { pen, width, height } = this.sheet();
    if (!pen) return;
    const style = getComputedStyle(document.documentElement);
    const [low, high] = this.range();
    const y = (value) => height - 3 - ((value - low) / (high - low)) * (height - 6);
    if (this.mark !== null && this.mark <= high) dashes(pen, width, y(this.mark), style.getPropertyValue("--soft"));
    const lines = Math.min(LINES, this.rows.at(-1).length);
    pen.strokeStyle = style.getPropertyValue("--chart");
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    for (let line = lines - 1; line >= 0; line -= 1) {
      pen.globalAlpha = 1 - 0.75 * (line / LINES);
      this.stroke(pen, line, width, y);
    }
  }

  /** An empty canvas and what draws on it; nothing where there is nothing to draw. */
  sheet() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || this.rows.length < 2) return {};
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    return { pen, width, height };
  }

  range() {
    const all = this.rows.flatMap((row) => row.slice(0, LINES));
    let low = this.fromZero ? 0 : Math.min(...all);
    let high = Math.max(...all, this.mark ?? -Infinity);
    const gap = Math.max(this.floor, 1e-12) - (high - low);
    if (gap > 0) {
      high += this.fromZero ? gap : gap / 2;
      low -= this.fromZero ? 0 : gap / 2;
    }
    return [low, high];
  }

  stroke(pen, line, width, y) {
    pen.beginPath();
    this.rows.forEach((row, i) => {
      const x = width - ((this.rows.length - 1 - i) / (LENGTH - 1)) * width;
      if (row[line] !== undefined) pen.lineTo(x, y(row[line]));
    });
    pen.stroke();
  }
}

/** Bands, one above the other: what each of some parts adds to a whole. */
export class Bands extends Chart {
  draw() {
    const { pen, width, height } = this.sheet();
    if (!pen) return;
    const whole = Math.max(...this.rows.map((row) => row.reduce((sum, value) => sum + value, 0)), 1e-12);
    const x = (i) => width - ((this.rows.length - 1 - i) / (LENGTH - 1)) * width;
    const below = this.rows.map(() => 0);
    for (let band = 0; band < this.rows.at(-1).length; band += 1) {
      pen.beginPath();
      this.rows.forEach((_, i) => pen.lineTo(x(i), height * (1 - below[i] / whole)));
      this.rows.forEach((row, i) => (below[i] += row[band] ?? 0));
      for (let i = this.rows.length - 1; i >= 0; i -= 1) pen.lineTo(x(i), height * (1 - below[i] / whole));
      pen.fillStyle = bandColour(band);
      pen.fill();
    }
  }
}

export const bandColour = (band) => `hsl(${(212 + 67 * band) % 360} 55% 55%)`;

function dashes(pen, width, y, colour) {
  pen.save();
  pen.strokeStyle = colour;
  pen.globalAlpha = 0.6;
  pen.setLineDash([3, 4]);
  pen.beginPath();
  pen.moveTo(0, y);
  pen.lineTo(width, y);
  pen.stroke();
  pen.restore();
}

const say = (id, words) => {
  document.getElementById(id).textContent = words;
};

export class Charts {
  constructor() {
    this.speed = new Chart("speed-chart", { fromZero: true, mark: 1 });
    this.energy = new Chart("energy-chart", { floor: 1e-9 });
    this.coordinates = new Chart("coordinates-chart", { floor: 1e-9 });
    this.all = [this.speed, this.energy, this.coordinates];
  }

  clear() {
    for (const chart of this.all) chart.clear();
  }

  measure({ step, dt, ratio, energy, coordinates, rounding }, status) {
    const share = step / dt;
    document.getElementById("rounding").hidden = rounding === null;
    if (rounding !== null) say("rounding", `Shapes are sent in 16 bits, true to ${si(rounding, "m")}.`);
    say("speed-value", `${si(step, "s")} · ${short(100 * share)} % of real time`);
    say("energy-value", energy === null ? "" : si(energy, "J"));
    say("coordinates-value", `first ${coordinates.length} of ${status?.settings.vectors}`);
    if (!status?.playing) return;
    if (ratio < SLOW * status.speed) say("speed-value", `runs at ${short(100 * ratio)} % of real time`);
    this.speed.add([share]);
    if (energy !== null) this.energy.add([energy]);
    this.coordinates.add(coordinates);
    for (const chart of this.all) chart.draw();
  }
}
