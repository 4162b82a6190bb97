// Checks what the server says, and makes what the page says: the page's half of the typed messages.

import { unroundPose, unroundVertices } from "./rounding.js";

const text = (value) => typeof value === "string";
const number = (value) => typeof value === "number" && Number.isFinite(value);
const flag = (value) => typeof value === "boolean";
const maybe = (check) => (value) => value === null || check(value);
const listOf = (check) => (value) => Array.isArray(value) && value.every(check);
const point = (value) => listOf(number)(value) && value.length === 3;
const record = (fields) => (value) =>
  typeof value === "object" && value !== null && Object.entries(fields).every(([name, check]) => check(value[name]));

const settings = record({
  stiffness: number,
  alpha: number,
  beta: number,
  gravity: point,
  vectors: number,
  dt: number,
  newton: number,
  wind: number,
  friction: number,
  restitution: number,
  substeps: number,
  sweeps: number,
});

const mesh = record({
  file: text,
  size: number,
  up: text,
  held: text,
  material: text,
  young: number,
  poisson: number,
  density: number,
  notes: listOf(text),
  presets: (value) => typeof value === "object" && value !== null && Object.values(value).every(point),
  brush: number,
  dabs: number,
  bones: listOf(record({ name: text, form: text, reach: number, ends: listOf(point), strokes: number })),
  can_undo_bones: flag,
  character: flag,
  parts: listOf(
    record({ name: text, colour: text, share: number, pieces: number, rigid: flag, modes: number, root: flag }),
  ),
  parts_said: listOf(text),
  can_undo_parts: flag,
  parted: flag,
  can_part: flag,
});

const joint = record({
  kind: text,
  place: point,
  axis: maybe(point),
  gap: maybe(number),
  force: maybe(number),
  angle: maybe(number),
  limits: maybe(listOf(maybe(number))),
  speed: maybe(number),
  torque: maybe(number),
});

const REPORTS = {
  status: record({
    scenes: listOf(record({ name: text, title: text, claim: text })),
    scene: text,
    geometry: number,
    playing: flag,
    settings,
    tunable: listOf(text),
    most_vectors: number,
    frequencies: listOf(maybe(number)),
    mode: maybe(number),
    slowed: number,
    recording: flag,
    recorded: maybe(number),
    sketching: flag,
    can_sketch: flag,
    can_turn: flag,
    can_keyframe: flag,
    keyframes: listOf(number),
    missed: maybe(number),
    can_throw: flag,
    can_inspect: flag,
    can_hear: flag,
    free: flag,
    pins: listOf(number),
    speed: number,
    tuned: flag,
    can_undo: flag,
    saved: listOf(number),
    diverged: maybe(text),
    camera: maybe(listOf(point)),
    ground: maybe(number),
    failed: maybe(text),
    opened: number,
    exactness: text,
    mesh: maybe(mesh),
    rigs: listOf(record({ name: text, bones: listOf(text), parts: listOf(number) })),
    clip: maybe(record({ duration: number, shift: number, held: maybe(number) })),
    following: maybe(record({ on: flag, ready: flag, gentleness: number, failed: text })),
  }),
  measure: record({
    time: number,
    step: number,
    dt: number,
    ratio: number,
    energy: maybe(number),
    coordinates: listOf(maybe(number)),
    recorded: number,
    pulls: number,
    rounding: maybe(number),
    off_way: maybe(number),
  }),
  hand: record({ vertex: number, held: flag, force: maybe(number) }),
  probe: record({ vertices: listOf(number), forces: listOf(maybe(number)) }),
  inspect: record({
    time: number,
    told: listOf(text),
    contacts: number,
    strongest: number,
    arrows: listOf(listOf(number)),
    momentum: listOf(number),
    angular: listOf(number),
    proxies: text,
    proxy_count: number,
    joints: listOf(joint),
    joint_count: number,
    islands: listOf(listOf(number)),
    bones: listOf(listOf(number)),
    nets: text,
    spheres: listOf(listOf(number)),
    boxes: listOf(listOf(number)),
  }),
  voices: record({
    voices: listOf(record({ name: text, frequencies: listOf(number), decay: listOf(number), ears: Array.isArray })),
  }),
  hits: record({ hits: listOf(listOf(number)) }),
  field: record({ geometry: number, most: maybe(number), levels: text }),
  progress: record({ stage: text, fraction: number }),
  notice: record({ sentence: text, level: (value) => value === "info" || value === "error" }),
};

/** The report in a message of the server; throws where it is not one. */
export function decodeReport(message) {
  const report = JSON.parse(message);
  const check = REPORTS[report?.kind];
  if (!check?.(report)) throw new TypeError(`a message of the server makes no sense: ${message.slice(0, 80)}`);
  return report;
}

const HEADER = 24;
const ROUNDED = 2; // more than the layout of the same frame in float32
export const VERTICES = 1; // the layout of frames without a basis

/** The frame in a binary message: which geometry, when, and its numbers. */
export function decodeFrame(buffer) {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < HEADER || buffer.byteLength % 4) {
    throw new TypeError("a frame of the server is cut short");
  }
  const view = new DataView(buffer);
  return {
    geometry: view.getUint32(0, true),
    number: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    ...decodeNumbers(buffer, view.getUint32(16, true), view.getUint32(20, true)),
  };
}

function decodeNumbers(buffer, layout, count) {
  if (layout < ROUNDED) return { layout, numbers: new Float32Array(buffer, HEADER) };
  const unround = layout === ROUNDED ? unroundPose : unroundVertices;
  return { layout: layout - ROUNDED, numbers: unround(buffer, HEADER, count) };
}

export const commands = {
  play: () => ({ kind: "play" }),
  pause: () => ({ kind: "pause" }),
  step: (count = 1) => ({ kind: "step", count }),
  reset: () => ({ kind: "reset" }),
  grab: (vertex, target) => ({ kind: "grab", vertex, target }),
  move: (target) => ({ kind: "move", target }),
  release: () => ({ kind: "release" }),
  turn: (vertex, rotation) => ({ kind: "turn", vertex, rotation }),
  keep: () => ({ kind: "keep" }),
  free: () => ({ kind: "free" }),
  set: (changes) => ({ kind: "set", ...changes }),
  defaults: () => ({ kind: "defaults" }),
  pace: (speed) => ({ kind: "pace", speed }),
  undo: () => ({ kind: "undo" }),
  save: () => ({ kind: "save" }),
  load: (state) => ({ kind: "load", state }),
  mode: (mode) => ({ kind: "mode", mode }),
  scene: (name) => ({ kind: "scene", name }),
  remake: (said) => ({ kind: "remake", ...said }),
  placeBone: (ends) => ({ kind: "bone", ends }),
  changeBone: (said) => ({ kind: "bone-change", ...said }),
  paintBone: (bone, at, share) => ({ kind: "bone-paint", bone, at, share }),
  undoBone: () => ({ kind: "bone-undo" }),
  findBones: (count) => ({ kind: "bones-find", count }),
  buildBones: (on, modes, weights) => ({ kind: "bones-build", on, modes, weights }),
  proposeParts: (method, count) => ({ kind: "parts-propose", method, count }),
  paintPart: (part, at, radius) => ({ kind: "part-paint", part, at, radius }),
  cutPart: (at, normal = null) => ({ kind: "part-cut", at, normal }),
  changePart: (said) => ({ kind: "part-change", ...said }),
  joinParts: (part, other) => ({ kind: "parts-join", part, other }),
  splitPart: (part) => ({ kind: "part-split", part }),
  undoPart: () => ({ kind: "part-undo" }),
  showParts: (on) => ({ kind: "parts-show", on }),
  buildParts: (on, system) => ({ kind: "parts-build", on, system }),
  colour: (by) => ({ kind: "colour", by }),
  probe: (vertices) => ({ kind: "probe", vertices }),
  inspect: (what, level) => ({ kind: "inspect", what, level }),
  scrub: (time) => ({ kind: "scrub", time }),
  listen: (on) => ({ kind: "listen", on }),
  strike: (vertex) => ({ kind: "strike", vertex }),
  steer: (change) => ({ kind: "steer", ...change }),
  record: (on) => ({ kind: "record", on }),
  sketch: (on) => ({ kind: "sketch", on }),
  keepPose: () => ({ kind: "keyframe-keep" }),
  timeKeyframe: (number, time) => ({ kind: "keyframe-time", number, time }),
  dropKeyframe: (number) => ({ kind: "keyframe-drop", number }),
  findMotion: () => ({ kind: "motion-find" }),
  throw: (eye, target) => ({ kind: "throw", eye, target }),
  drop: () => ({ kind: "drop" }),
  seen: (frame) => ({ kind: "seen", frame }),
};
