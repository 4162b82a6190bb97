// The sliders: how a position on a slider becomes a setting, and how a setting reads.

import { short, si } from "./units.js";

const FINE = { min: 0, max: 1, step: 0.002 };
const log = (low, high) => ({
  range: FINE,
  toSetting: (s) => low * (high / low) ** s,
  toSlider: (value) => Math.log(Math.max(value, low) / low) / Math.log(high / low),
});
const power = (high, exponent) => ({
  range: FINE,
  toSetting: (s) => high * s ** exponent,
  toSlider: (value) => (Math.max(value, 0) / high) ** (1 / exponent),
});
const whole = (low, high) => ({
  range: { min: low, max: high, step: 1 },
  toSetting: (s) => s,
  toSlider: (value) => value,
});

/** What each slider covers; `status` tells how many vectors there are. */
export function sliderKinds(status) {
  return {
    stiffness: { ...log(0.01, 100), text: (value) => `× ${short(value)}` },
    alpha: { ...power(20, 2), text: (value) => `${short(value)} /s` },
    beta: { ...power(0.2, 3), text: (value) => si(value, "s") },
    gravity: { ...power(40, 1), text: (value) => `${short(value)} m/s²` },
    wind: { ...power(40, 1), text: (value) => `${short(value)} m/s` },
    vectors: { ...whole(1, status.most_vectors), text: (value) => `${value} of ${status.most_vectors}` },
    dt: { ...log(1e-4, 0.02), text: (value) => si(value, "s") },
    newton: { ...whole(1, 30), text: (value) => String(value) },
    friction: { ...power(2, 1), text: short },
    restitution: { ...power(1, 1), text: short },
    substeps: { ...whole(1, 16), text: String },
    sweeps: { ...whole(1, 40), text: String },
  };
}
