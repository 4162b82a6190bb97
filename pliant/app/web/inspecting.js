// What goes on in a world: arrows of contacts, points that touch, joints with their axes and motors, and charts.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "./vendor/three.module.js";
import { Bands, bandColour, Chart } from "./charts.js";
import { commands } from "./messages.js";
import { Skeletons } from "./skeletons.js";
import { short, si } from "./units.js";

const KINDS = ["contacts", "proxies", "joints", "islands", "charts", "bones", "nets", "spheres", "boxes"];
const MOST_ARROWS = 200;
const MOST_JOINTS = 64;
const MOST_BODIES = 1000;
const LONGEST = 0.22; // of the size of the scene: the arrow of the strongest contact
const CALM = 0.98; // of the strongest force is left at the next report, so that arrows do not pump
const SHAFT = 0.0016; // of the distance to the camera: radius of an arrow
const HEAD = 3.2; // of that: radius of its head; it is twice as long
const AXIS = 0.05; // of the size of the scene: half an axis
const BODY = 0.012; // of that: radius of the mark of a body; one that sleeps has a smaller one
const GOLDEN = 0.618034; // of a turn of hue from one island to the next, so that neighbours differ
const JOINT = 0.005; // of the distance to the camera: radius of a joint
const LISTED = 6; // joints
const CLOSED = 1e-9; // [m]: gaps below are not worth a word
const WAITING = 30; // reports, for frames that are later than they
const UP = new Vector3(0, 1, 0);
const element = (id) => document.getElementById(id);

export class Inspection {
  constructor(stage, connection, refresh) {
    Object.assign(this, { stage, connection, refresh, wanted: new Set(), reports: [], report: null, reference: 0 });
    const colour = (name) => new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    const above = (name) => ({ color: colour(name), depthTest: false, transparent: true });
    const force = new MeshBasicMaterial(above("--hand"));
    this.shafts = this.add(new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), force, MOST_ARROWS));
    this.heads = this.add(new InstancedMesh(new ConeGeometry(1, 2, 12).translate(0, -1, 0), force, MOST_ARROWS));
    const dots = new PointsMaterial({ ...above("--ink"), size: 3, sizeAttenuation: false, opacity: 0.6 });
    this.dots = this.add(new Points(new BufferGeometry(), dots));
    const joint = above("--chart");
    this.balls = this.add(new InstancedMesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial(joint), MOST_JOINTS));
    this.axes = this.add(new LineSegments(new BufferGeometry(), new LineBasicMaterial(joint)));
    const body = new MeshBasicMaterial({ depthTest: false, transparent: true });
    this.marks = this.add(new InstancedMesh(new SphereGeometry(1, 16, 12), body, MOST_BODIES));
    const chart = (id) => new Chart(`inspect-${id}-chart`, { fromZero: id === "contacts", floor: 1e-9 });
    const stages = new Bands("inspect-stages-chart");
    this.charts = { contacts: chart("contacts"), momentum: chart("momentum"), angular: chart("angular"), stages };
    this.skeletons = new Skeletons((thing) => this.add(thing), colour);
    element("inspect-level").addEventListener("input", () => this.wanted.size && this.ask());
    for (const kind of KINDS) element(`inspect-${kind}`).addEventListener("click", () => this.toggle(kind));
  }

  add(thing) {
    thing.renderOrder = 9;
    thing.frustumCulled = false;
    thing.visible = false;
    if (thing.isInstancedMesh) thing.count = 0;
    this.stage.scene.add(thing);
    return thing;
  }

  toggle(kind) {
    if (!this.wanted.delete(kind)) this.wanted.add(kind);
    element(`inspect-${kind}`).setAttribute("aria-pressed", String(this.wanted.has(kind)));
    element("inspect-charts-box").hidden = !this.wanted.has("charts");
    this.ask();
    this.show(null);
  }

  /** Nothing is sent that nobody looks at. */
  ask() {
    this.connection.send(commands.inspect([...this.wanted], Number(element("inspect-level").value)));
  }

  /** Shown where bodies touch; another scene begins anew. */
  offer(canInspect) {
    element("inspect-section").hidden = !canInspect;
    if (!canInspect) this.show(null);
  }

  clear() {
    this.reports = [];
    this.reference = 0;
    for (const chart of Object.values(this.charts)) chart.clear();
  }

  /** Frames come later than reports where the page is slow, so these wait for theirs. */
  hear(report) {
    this.reports = [...this.reports.slice(1 - WAITING), report];
    this.reference = Math.max(report.strongest, CALM * this.reference);
    if (this.wanted.has("charts") && report.told.includes("charts")) this.chart(report);
    this.refresh();
  }

  /** What was told last of the time of a frame. */
  follow(time) {
    const report = this.wanted.size ? this.reports.findLast((each) => each.time <= time + 1e-9) : null;
    if (report && report !== this.report) this.show(report);
  }

  show(report) {
    this.report = report;
    if (report === null) this.reports = [];
    const told = (kind) => report !== null && this.wanted.has(kind) && report.told.includes(kind);
    this.showArrows(told("contacts") ? report.arrows : []);
    this.showDots(told("proxies") ? report.proxies : "");
    this.showJoints(told("joints") ? report.joints : []);
    this.showIslands(told("islands") ? report.islands : []);
    this.skeletons.show(report, told, this.distance);
    element("inspect-note").textContent = [
      told("contacts") ? arrowsSaid(report, this.reference) : "",
      told("proxies") ? `${report.proxy_count} points may touch others.` : "",
      told("islands") ? islandsSaid(report.islands) : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  get distance() {
    return this.stage.camera.position.distanceTo(this.stage.controls.target);
  }

  showArrows(arrows) {
    const [matrix, place, along, turn] = [new Matrix4(), new Vector3(), new Vector3(), new Quaternion()];
    const radius = SHAFT * this.distance;
    for (const mesh of [this.shafts, this.heads]) Object.assign(mesh, { count: arrows.length, visible: arrows.length > 0 });
    arrows.forEach((row, i) => {
      place.set(...row.slice(0, 3));
      along.set(...row.slice(3));
      const length = (LONGEST * this.stage.bounds.size * along.length()) / (this.reference || 1);
      turn.setFromUnitVectors(UP, along.normalize());
      const head = Math.min(HEAD * radius, length / 2);
      this.shafts.setMatrixAt(i, matrix.compose(place, turn, new Vector3(radius, Math.max(length - head, 1e-9), radius)));
      place.addScaledVector(along, length);
      this.heads.setMatrixAt(i, matrix.compose(place, turn, new Vector3(head, head, head)));
    });
    for (const mesh of [this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
  }

  showDots(packed) {
    this.dots.visible = packed !== "";
    if (!packed) return;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    this.dots.geometry.dispose();
    this.dots.geometry = new BufferGeometry();
    this.dots.geometry.setAttribute("position", new BufferAttribute(new Float32Array(bytes.buffer), 3));
  }

  showJoints(joints) {
    const [matrix, radius, half] = [new Matrix4(), JOINT * this.distance, AXIS * this.stage.bounds.size];
    Object.assign(this.balls, { count: joints.length, visible: joints.length > 0 });
    joints.forEach(({ place }, i) => {
      this.balls.setMatrixAt(i, matrix.makeScale(radius, radius, radius).setPosition(...place));
    });
    this.balls.instanceMatrix.needsUpdate = true;
    const ends = joints
      .filter(({ axis }) => axis !== null)
      .flatMap(({ place, axis }) =>
        [-half, half].map((s) => new Vector3(...place).addScaledVector(new Vector3(...axis), s)),
      );
    this.axes.visible = ends.length > 0;
    this.axes.geometry.dispose();
    this.axes.geometry = new BufferGeometry().setFromPoints(ends);
    element("inspect-joints-list").replaceChildren(
      ...joints.slice(0, LISTED).map((joint) => {
        const item = document.createElement("li");
        item.textContent = jointSaid(joint);
        return item;
      }),
    );
  }

  /** A ball in every body that moves, one hue an island; those that sleep are pale and small. */
  showIslands(bodies) {
    const [matrix, colour, radius] = [new Matrix4(), new Color(), BODY * this.distance];
    Object.assign(this.marks, { count: bodies.length, visible: bodies.length > 0 });
    bodies.forEach(([x, y, z, island, asleep], i) => {
      const size = asleep ? radius / 2 : radius;
      this.marks.setMatrixAt(i, matrix.makeScale(size, size, size).setPosition(x, y, z));
      this.marks.setColorAt(i, colour.setHSL((island * GOLDEN) % 1, asleep ? 0.5 : 0.9, asleep ? 0.66 : 0.5));
    });
    this.marks.instanceMatrix.needsUpdate = true;
    if (this.marks.instanceColor) this.marks.instanceColor.needsUpdate = true;
  }

  chart({ contacts, strongest, momentum, angular, stages, time }) {
    if (time === this.charted) return;
    if (time < this.charted) for (const chart of Object.values(this.charts)) chart.clear();
    this.charted = time;
    const times = { ...stages, drawing: this.stage.drawn };
    const rows = { contacts: [contacts], momentum, angular, stages: Object.values(times) };
    for (const [name, values] of Object.entries(rows)) {
      this.charts[name].add(values);
      this.charts[name].draw();
    }
    element("inspect-contacts-value").textContent = `${contacts}, the strongest ${si(strongest, "N")}`;
    element("inspect-momentum-value").textContent = si(Math.hypot(...momentum), "N s");
    element("inspect-angular-value").textContent = si(Math.hypot(...angular), "N m s");
    const whole = Object.values(times).reduce((sum, value) => sum + value, 0);
    element("inspect-stages-value").textContent = si(whole, "s");
    const said = Object.entries(times).map(stageSaid);
    element("inspect-stages-list").replaceChildren(...said.filter((_, i) => rows.stages[i] > 0));
  }
}

/** A stage with the colour of its band, as: search 1.2 ms. */
function stageSaid([name, seconds], band) {
  const item = document.createElement("li");
  const patch = document.createElement("i");
  patch.style.background = bandColour(band);
  item.append(patch, `${name} ${si(seconds, "s")}`);
  return item;
}

function arrowsSaid({ contacts, arrows }, reference) {
  const shown = arrows.length < contacts ? `, of which the ${arrows.length} strongest are shown` : "";
  return `${contacts} ${contacts === 1 ? "contact presses" : "contacts press"}${shown}; the longest arrow is ${si(reference, "N")}.`;
}

function islandsSaid(bodies) {
  const [islands, asleep] = [new Set(bodies.map((body) => body[3])).size, bodies.filter((body) => body[4]).length];
  return `${bodies.length} bodies in ${islands} ${islands === 1 ? "island" : "islands"}; ${asleep || "none"} asleep.`;
}

const degrees = (angle) => `${short((angle * 180) / Math.PI)}°`;

/** A joint in words, as: hinge at 12° of -30° to 30°, motor 6.28 1/s with at most 2 kN m, bears 40 N. */
function jointSaid({ kind, angle, limits, speed, torque, force, gap }) {
  const ends = (limits ?? []).map((limit) => (limit === null ? "any" : degrees(limit)));
  const turned = angle === null ? "" : ` at ${degrees(angle)}${limits ? ` of ${ends.join(" to ")}` : ""}`;
  const motor = torque === null ? "" : `, motor ${short(speed)} 1/s with at most ${si(torque, "N m")}`;
  const open = gap > CLOSED ? `, gapes ${si(gap, "m")}` : "";
  return `${kind}${turned}${motor}, bears ${si(force ?? 0, "N")}${open}`;
}
