// What is heard: a button, a bank of oscillators in the thread of the sound card, and hits that are handed to it.

import { commands } from "./messages.js";

const element = (id) => document.getElementById(id);
const LINES = 32768; // samples that can be looked at, for those who look into the page

export class Sounds {
  constructor(connection, notice) {
    Object.assign(this, { connection, notice, context: null, bank: null, analyser: null, voices: [], hits: 0, on: false });
    element("sound").addEventListener("click", () => this.turn(!this.on));
  }

  /** Shown where something sounds; another scene begins anew. */
  offer(status) {
    element("sound").hidden = !status.can_hear;
    if (this.on && status.opened !== this.opened) this.ask();
    this.opened = status.opened;
  }

  async turn(on) {
    this.on = on;
    element("sound").setAttribute("aria-pressed", String(on));
    try {
      if (on) await this.open();
      else await this.context?.suspend();
      this.ask();
    } catch (error) {
      this.on = false;
      element("sound").setAttribute("aria-pressed", "false");
      this.notice(`This browser cannot play sound: ${error.message}`, "error");
    }
  }

  async open() {
    if (this.context === null) {
      const context = new AudioContext({ latencyHint: "interactive" });
      await context.audioWorklet.addModule("modal-bank.js");
      this.bank = new AudioWorkletNode(context, "modal-bank", { numberOfInputs: 0, outputChannelCount: [2] });
      this.analyser = new AnalyserNode(context, { fftSize: LINES });
      this.bank.connect(new DynamicsCompressorNode(context)).connect(context.destination);
      this.bank.connect(this.analyser);
      this.context = context;
    }
    await this.context.resume();
  }

  ask() {
    this.connection.send(commands.listen(this.on));
  }

  hear(report) {
    if (report.kind === "voices") this.voices = report.voices;
    else this.hits += report.hits.length;
    this.bank?.port.postMessage(report);
  }

  /** A press of a pointer is a mallet. */
  strike(vertex) {
    if (this.on) this.connection.send(commands.strike(vertex));
  }

  /** The last samples, as numbers. */
  samples() {
    const samples = new Float32Array(LINES);
    this.analyser?.getFloatTimeDomainData(samples);
    return Array.from(samples);
  }
}
