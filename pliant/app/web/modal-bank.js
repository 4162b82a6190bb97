// The bank of oscillators, in the thread of the sound card: z+ = 2 c z - Y, Y+ = e^(-d h) z for every mode, and a hit
// that takes a while gives each sample its share of a half wave to the power of 3/2, as Hertz' contact does.

const SILENT = 1e-12; // of the loudest hit so far

class Voice {
  constructor({ frequencies, decay, ears }) {
    const step = 1 / sampleRate;
    const heard = frequencies.map((_, i) => i).filter((i) => 2 * frequencies[i] < sampleRate);
    const of = (make) => Float64Array.from(heard, make);
    this.heard = heard;
    const wave = (i) => Math.sqrt(Math.max((2 * Math.PI * frequencies[i]) ** 2 - (decay[i] / 2) ** 2, 1));
    this.turn = of((i) => 2 * Math.exp((-decay[i] * step) / 2) * Math.cos(wave(i) * step));
    this.fade = of((i) => Math.exp(-decay[i] * step));
    this.sine = of((i) => (Math.exp((-decay[i] * step) / 2) * Math.sin(wave(i) * step)) / wave(i));
    const slack = of((i, k) => this.turn[k] / 2 - (decay[i] / 2) * this.sine[k]); // c - s n, for z' from z and Y
    this.z = new Float64Array(heard.length);
    this.Y = new Float64Array(heard.length);
    this.ears = (ears.length === 1 ? [ears[0], ears[0]] : ears).map(([wait, places, rates]) => ({
      wait: Math.round(wait * sampleRate),
      place: of((i, k) => places[i] + (rates[i] / this.sine[k]) * slack[k]),
      past: of((i, k) => -rates[i] / this.sine[k]),
    }));
    const loud = (i) => Math.max(...ears.map(([, places, rates]) => Math.hypot(places[i] / wave(i), rates[i])));
    this.strength = of(loud);
    // Both ears hear as late as the nearer one is far, but for the difference between them.
    const least = Math.min(...this.ears.map((ear) => ear.wait));
    for (const ear of this.ears) ear.line = new Float64Array(Math.max(ear.wait - least, 0) + 1);
    this.at = 0;
    this.pulses = [];
    this.awake = false;
  }

  hit(duration, gains) {
    const count = Math.max(1, Math.round(duration * sampleRate));
    const shape = Float64Array.from({ length: count }, (_, k) => Math.sin((Math.PI * (k + 0.5)) / count) ** 1.5);
    const sum = shape.reduce((total, value) => total + value, 0);
    const own = Float64Array.from(this.heard, (i, k) => -this.sine[k] * gains[i]);
    this.pulses.push({ shape: shape.map((value) => value / sum), own, next: 0 });
    this.awake = true;
  }

  /** How loud a blow is, before anything is heard of it. */
  loudness(gains) {
    return this.heard.reduce((total, i, k) => total + Math.abs(gains[i]) * this.strength[k], 0);
  }

  add(left, right, gain) {
    if (!this.awake) return;
    const { z, Y, turn, fade, ears, pulses } = this;
    let most = 0;
    for (let t = 0; t < left.length; t += 1) {
      for (const pulse of pulses) {
        if (pulse.next >= pulse.shape.length) continue;
        const share = pulse.shape[pulse.next];
        for (let j = 0; j < z.length; j += 1) Y[j] += share * pulse.own[j];
        pulse.next += 1;
      }
      let [a, b] = [0, 0];
      for (let j = 0; j < z.length; j += 1) {
        a += ears[0].place[j] * z[j] + ears[0].past[j] * Y[j];
        b += ears[1].place[j] * z[j] + ears[1].past[j] * Y[j];
        const x = z[j];
        z[j] = turn[j] * x - Y[j];
        Y[j] = fade[j] * x;
      }
      most = Math.max(most, Math.abs(a), Math.abs(b));
      left[t] += gain * late(ears[0], this.at, a);
      right[t] += gain * late(ears[1], this.at, b);
      this.at += 1;
    }
    this.pulses = pulses.filter((pulse) => pulse.next < pulse.shape.length);
    this.awake = this.pulses.length > 0 || most * gain > SILENT;
  }
}

function late(ear, at, value) {
  const { line } = ear;
  line[at % line.length] = value;
  return line[(at + 1) % line.length];
}

class ModalBank extends AudioWorkletProcessor {
  constructor() {
    super();
    this.voices = [];
    this.loudest = 0;
    this.port.onmessage = ({ data }) => (data.voices ? this.begin(data.voices) : this.hear(data.hits));
  }

  begin(voices) {
    this.voices = voices.map((facts) => new Voice(facts));
    this.loudest = 0;
  }

  hear(hits) {
    for (const [voice, duration, ...gains] of hits) {
      const struck = this.voices[voice];
      if (struck === undefined) continue;
      this.loudest = Math.max(this.loudest, struck.loudness(gains));
      struck.hit(duration, gains);
    }
  }

  process(_inputs, [output]) {
    const [left, right] = [output[0], output[1] ?? new Float32Array(output[0].length)];
    if (this.loudest > 0) for (const voice of this.voices) voice.add(left, right, 0.5 / this.loudest);
    return true;
  }
}

registerProcessor("modal-bank", ModalBank);
