// Films of the view, made by the browser itself as they are seen.

import { saveBlob } from "./keeping.js";
import { notice } from "./notices.js";

const RATE = 60; // frames a second, at most
const BITS = 8e6; // a second
const KINDS = [
  ["video/mp4;codecs=avc1", "mp4"],
  ["video/webm;codecs=vp9", "webm"],
  ["video/webm", "webm"],
];

export class Film {
  /** Wire the button; browsers that cannot record have none. */
  constructor(canvas) {
    this.canvas = canvas;
    this.button = document.getElementById("film");
    this.kind = globalThis.MediaRecorder && KINDS.find(([type]) => MediaRecorder.isTypeSupported(type));
    this.button.hidden = !this.kind;
    this.button.addEventListener("click", () => (this.recorder ? this.stop() : this.start()));
  }

  start() {
    const [mimeType, ending] = this.kind;
    const parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(RATE), { mimeType, videoBitsPerSecond: BITS });
    this.recorder.ondataavailable = ({ data }) => data.size && parts.push(data);
    this.recorder.onstop = () => saveBlob(new Blob(parts, { type: mimeType }), `pliant.${ending}`);
    this.recorder.onerror = ({ error }) => notice(`the film could not be made: ${error?.message ?? "unknown"}`, "error");
    this.recorder.start(500);
    this.began = performance.now();
    this.ticking = setInterval(() => this.say(), 200);
    this.say();
  }

  stop() {
    clearInterval(this.ticking);
    this.recorder.stop();
    for (const track of this.recorder.stream.getTracks()) track.stop();
    this.recorder = null;
    this.say();
  }

  say() {
    const seconds = this.recorder ? ((performance.now() - this.began) / 1000).toFixed(1) : null;
    this.button.setAttribute("aria-pressed", String(seconds !== null));
    this.button.querySelector("span").textContent = seconds === null ? "Film" : `Stop · ${seconds} s`;
  }
}
