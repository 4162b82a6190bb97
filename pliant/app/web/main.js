// Puts the page together: what the server says goes to the stage, the panel and the charts; what people do goes back.

import { Vector3 } from "./vendor/three.module.js";
import { Brush } from "./brush.js";
import { Characters } from "./characters.js";
import { Charts } from "./charts.js";
import { Colouring } from "./colouring.js";
import { Connection } from "./connection.js";
import { wireDropping } from "./dropping.js";
import { Film } from "./filming.js";
import { evaluateVertex } from "./formula.js";
import { openAtStart } from "./gallery.js";
import { fetchGeometry } from "./geometry.js";
import { Grab } from "./grab.js";
import { showHint } from "./hint.js";
import { Inspection } from "./inspecting.js";
import { saveRecording, saveScreenshot } from "./keeping.js";
import { Keyframes } from "./keyframes.js";
import { listen, zoom } from "./keyboard.js";
import { wireLooking } from "./looking.js";
import { Marks } from "./marks.js";
import { MeshPanel } from "./mesh-panel.js";
import { VERTICES, commands } from "./messages.js";
import { banner, notice, progress } from "./notices.js";
import { Panel, neighbour } from "./panel.js";
import { PartMaker } from "./parting.js";
import { offerPhone } from "./phone.js";
import { Probes } from "./probes.js";
import { Rigging } from "./rigging.js";
import { Sounds } from "./sounding.js";
import { Steering } from "./following.js";
import { Stage } from "./stage.js";
import { makeSurface } from "./surface.js";

const FOLLOWED = 32; // vertices
const SLACK = 0.3; // of the size: how far from the middle a hand may take what flies before the camera follows
const CALM = 0.92; // of that slack is left a frame after the hand has let go
const LOST = "The connection to pliant is lost; trying again.";
const ENDED = "pliant has ended. Start it again in a terminal, with pliant demo or pliant view, and open what it prints.";
const PATIENCE = 4000; // [ms] without a connection, after which the server has most likely ended
const page = {
  geometry: null,
  frame: null,
  shown: null,
  surface: null,
  scene: null,
  mesh: null,
  asked: 0,
  connected: false,
  received: 0,
  drawn: 0,
  slack: 0,
  lost: null,
};
const element = (id) => document.getElementById(id);
let dirty = true;

const refresh = () => {
  dirty = true;
};
const stage = openStage();
const charts = new Charts();
const connection = new Connection({
  frame: hearFrame,
  report: hearReport,
  state: hearState,
  broken: (error) => notice(error.message, "error"),
});
const panel = new Panel(connection);

/** The deformed solid, for hands. */
const model = {
  get geometry() {
    return page.geometry;
  },
  get canTurn() {
    return panel.status?.can_turn ?? false;
  },
  isReady: () => page.geometry !== null && page.frame?.geometry === page.geometry.number,
  positions() {
    showFrame();
    return page.surface.positions();
  },
  kept: () =>
    (panel.status?.pins ?? []).map((id) => page.geometry.places.get(id)).filter((vertex) => vertex !== undefined),
  place: (vertex) =>
    page.frame.layout === VERTICES
      ? page.frame.numbers.subarray(3 * vertex, 3 * vertex + 3)
      : evaluateVertex(page.geometry, page.frame.numbers, vertex),
};
const marks = new Marks(stage);
const probes = new Probes(model, connection);
const colouring = new Colouring(stage);
const inspection = new Inspection(stage, connection, refresh);
const characters = new Characters(connection, colouring, refresh);
const sounds = new Sounds(connection, notice);
const steering = new Steering(connection);
const brush = new Brush(stage, model, refresh, notice);
const keyframes = new Keyframes(connection, notice);
const meshPanel = new MeshPanel(connection, brush, notice);
const rigging = new Rigging(stage, model, connection, marks, refresh, notice);
const partMaker = new PartMaker(stage, model, connection, marks, refresh);
const grab = new Grab(stage, connection, model, { marks, probes }, refresh);
grab.onTouch = (vertex) => sounds.strike(vertex);

function openStage() {
  try {
    return new Stage(element("view"), refresh);
  } catch (error) {
    banner("This browser cannot draw: it lacks WebGL 2, or its graphics driver is switched off.");
    throw error;
  }
}

function hearState(isConnected) {
  if (isConnected) page.lost = null;
  else page.lost ??= performance.now();
  page.connected = isConnected;
  if (!isConnected) grab.release();
  else {
    if (probes.probes.length) probes.ask();
    if (inspection.wanted.size) inspection.ask();
    if (sounds.on) sounds.ask();
  }
  showBanner();
}

const REPORTS = {
  status: hearStatus,
  measure(report) {
    charts.measure(report, panel.status);
    panel.count(report);
    steering.measure(report);
  },
  hand: (report) => grab.hear(report),
  probe: (report) => probes.hear(report),
  inspect: (report) => inspection.hear(report),
  voices: (report) => sounds.hear(report),
  hits: (report) => sounds.hear(report),
  field(report) {
    if (report.geometry === page.geometry?.number) colouring.hear(report);
    refresh();
  },
  progress,
  notice: ({ sentence, level }) => notice(sentence, level),
};

function hearReport(report) {
  REPORTS[report.kind](report);
}

function hearStatus(status) {
  panel.show(status);
  keyframes.show(status);
  meshPanel.show(status.mesh, status.exactness);
  rigging.show(status.mesh, status.playing);
  partMaker.show(status.mesh, status.playing);
  inspection.offer(status.can_inspect);
  characters.offer(status);
  sounds.offer(status);
  steering.offer(status);
  showBanner();
  if (status.mode !== null || status.diverged !== null) grab.release();
  if (status.geometry !== 0 && status.geometry !== page.asked) loadGeometry(status);
}

async function loadGeometry(status) {
  page.asked = status.geometry;
  try {
    const geometry = await fetchGeometry(status.geometry, page.geometry);
    if (page.asked !== geometry?.number) return;
    if (!geometry.continues) grab.release();
    colouring.restore();
    page.surface = makeSurface(geometry, stage, refresh);
    page.shown = null;
    page.geometry = geometry;
    stage.setSurface(page.surface, geometry, status.ground, status.free);
    if (page.scene !== status.scene || !sameSize(page.mesh, status.mesh)) {
      stage.frame(status.camera);
      charts.clear();
      probes.clear();
      inspection.clear();
    }
    [page.scene, page.mesh] = [status.scene, status.mesh];
    if (page.frame?.geometry !== geometry.number) page.frame = null;
    refresh();
  } catch (error) {
    notice(error.message, "error");
  }
}

/** Would a camera that showed the one show the other? */
function sameSize(before, now) {
  return before?.size === now?.size && before?.up === now?.up;
}

function hearFrame(frame) {
  page.frame = frame;
  page.received = frame.number;
  refresh();
}

function showBanner() {
  if (!page.connected) banner(performance.now() - page.lost > PATIENCE ? ENDED : LOST);
  else if (panel.status?.failed) banner(panel.status.failed);
  else if (panel.status?.diverged) banner(panel.status.diverged, "Reset", () => connection.send(commands.reset()));
  else banner(null);
}

/** Bring the surface to the newest frame, unless it is there. */
function showFrame() {
  if (page.shown === page.frame) return;
  page.surface.show(page.frame);
  page.surface.mesh.visible = true;
  page.shown = page.frame;
  if (panel.status?.free) follow();
  probes.note(page.frame);
}

/** The camera goes along with what flies; a hand moves it within the picture, and takes the camera along at its edge. */
function follow() {
  page.slack = grab.isPulling ? SLACK : page.slack < 0.01 ? 0 : CALM * page.slack;
  grab.carry(stage.follow(middle(), page.slack * stage.bounds.size));
}

/** Marks on the points that are kept or probed, and the hint. */
function showMarks() {
  marks.showKept(model.kept().map((vertex) => model.place(vertex)));
  marks.showPainted(brush.places(), brush.facts?.brush ?? 0);
  rigging.draw(stage.camera.position.distanceTo(stage.controls.target));
  partMaker.draw();
  marks.showProbed(probes.vertices().map((vertex) => model.place(vertex)));
  showHint(hintPlace(), innerWidth - stage.inset.right);
}

/** Beside the vertex that is farthest to the right on the screen, of those that are followed. */
function hintPlace() {
  if (document.querySelector("dialog[open]") || panel.status?.mode !== null) return null;
  const stride = Math.ceil(page.geometry.count / FOLLOWED);
  const [place, best] = [new Vector3(), [-Infinity, 0]];
  for (let v = 0; v < page.geometry.count; v += stride) {
    const pixel = stage.pixelOf(place.set(...model.place(v)));
    if (pixel[0] > best[0]) best.splice(0, 2, ...pixel);
  }
  return best;
}

/** The mean of some vertices, near enough to the centre of what flies. */
function middle() {
  const stride = Math.ceil(page.geometry.count / FOLLOWED);
  const sum = [0, 0, 0];
  let count = 0;
  for (let v = 0; v < page.geometry.count; v += stride, count += 1) {
    const x = model.place(v);
    for (let i = 0; i < 3; i += 1) sum[i] += x[i];
  }
  return sum.map((s) => s / count);
}

function draw() {
  requestAnimationFrame(draw);
  if (!dirty || document.hidden) return;
  if (model.isReady()) {
    showFrame();
    if (grab.isPulling) grab.refresh();
    showMarks();
    inspection.follow(page.frame.time);
    characters.follow(page.frame.time);
    colouring.show(page.surface, panel.status?.free ?? false);
  }
  dirty = false;
  stage.draw();
  page.drawn += 1;
  // The server sends the next frames when it knows that these are on the screen, so a slow page falls behind in none.
  connection.send(commands.seen(page.received));
}

/** What the panel covers is not the middle of the picture. */
function fit() {
  const box = element("panel").getBoundingClientRect();
  const sheet = box.width >= innerWidth - 1;
  stage.inset = sheet
    ? { right: 0, bottom: Math.min(box.height, innerHeight / 2) }
    : { right: innerWidth - box.left, bottom: 0 };
  stage.resize();
  refresh();
}

const press = (id) => () => element(id).click();
const actions = {
  " ": press("play"),
  s: press("step"),
  r: press("reset"),
  c: press("record"),
  p: press("screenshot"),
  v: press("film"),
  "?": press("help"),
  f: press("view-scene"),
  1: press("view-front"),
  2: press("view-side"),
  3: press("view-top"),
  w: press("wireframe"),
  o: press("all"),
  b: press("probe"),
  l: () => panel.status?.can_hear && element("sound").click(),
  k: () => panel.status?.can_keyframe && element("keyframe-keep").click(),
  u: press("undo"),
  z: press("undo"),
  t: () => panel.status?.can_throw && element("throw").click(),
  m: () => panel.status && connection.send(commands.mode(neighbour(panel.status, 1))),
  g: () => (grab.isPulling ? grab.release() : grab.startInMiddle()),
  x: () => connection.send(commands.free()),
  Escape: () => grab.release(),
  "+": () => zoom(stage, true),
  "=": () => zoom(stage, true),
  "-": () => zoom(stage, false),
};

element("screenshot").addEventListener("click", () => saveScreenshot(stage));
for (const ending of ["glb", "html"]) {
  element(`download-${ending}`).addEventListener("click", () => saveRecording(ending, notice));
}
element("all").addEventListener("click", () => element("gallery").showModal());
element("throw").addEventListener("click", () => {
  connection.send(commands.throw(stage.camera.position.toArray(), stage.controls.target.toArray()));
});
wireLooking(stage, colouring, { scene: () => panel.status?.camera ?? null, connection }, refresh);
openAtStart();
offerPhone();
const film = new Film(stage.canvas);
wireDropping(notice);
setInterval(() => page.connected || showBanner(), 1000);
element("help").addEventListener("click", () => element("shortcuts").showModal());
listen(actions, stage, grab);
new ResizeObserver(fit).observe(element("panel"));
window.addEventListener("resize", fit);
document.addEventListener("visibilitychange", refresh);
fit();
draw();

// For those who look into the page: what it draws, in numbers.
window.pliant = {
  positions: () => Array.from(model.isReady() ? model.positions() : page.surface.positions()),
  ids: () => Array.from(page.geometry.ids),
  state: () => ({
    draw: page.surface?.kind ?? null,
    frame: page.frame?.number ?? 0,
    time: page.frame?.time ?? 0,
    drawn: page.drawn,
    connected: page.connected,
    geometry: page.geometry?.number ?? 0,
    pulling: grab.isPulling,
    ready: model.isReady(),
    status: panel.status,
  }),
  screenOf: (vertex) => stage.pixelOf(new Vector3(...model.place(vertex))),
  screenAt: (point) => stage.pixelOf(new Vector3(...point)),
  hand: () => ({ screen: stage.pixelOf(grab.target), held: grab.held, keeps: grab.keeps, spring: marks.line.visible }),
  floor: () => (stage.floor.visible && stage.shade.visible ? stage.floor.position.y : null),
  filming: () => film.recorder?.state ?? null,
  legend: () => ({ field: colouring.field, top: colouring.top, values: colouring.told && Array.from(colouring.told) }),
  dabs: () => brush.ids,
  rigging: () => rigging.counts,
  sound: () => ({ on: sounds.on, state: sounds.context?.state, rate: sounds.context?.sampleRate, latency: sounds.context?.baseLatency, voices: sounds.voices, hits: sounds.hits }),
  heard: () => sounds.samples(),
  inspection: () => ({ arrows: inspection.shafts.count, joints: inspection.balls.count, marks: inspection.marks.count, ...inspection.skeletons.counts, report: inspection.report }),
  probes: () => ({ count: probes.probes.length, rows: probes.rows, forces: [...probes.forces.values()] }),
  kept: () => marks.kept.filter(({ visible }) => visible).map(({ position }) => position.toArray()),
};
