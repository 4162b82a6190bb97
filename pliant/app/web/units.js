// Numbers as people read them: three digits and an SI prefix.

const PREFIXES = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];
const PLAIN = PREFIXES.indexOf("");

/** Three digits, without noise. */
export const short = (value) => String(Number(value.toPrecision(3)));

/** `value` of a unit such as N, with the prefix that leaves one to three digits before the point. */
export function si(value, unit) {
  if (!Number.isFinite(value)) return `– ${unit}`;
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded);
  const power = size === 0 ? 0 : Math.floor(Math.log10(size) / 3 + 1e-9);
  const index = Math.min(PREFIXES.length - 1, PLAIN + power);
  if (index < 0) return `0 ${unit}`;
  return `${short(rounded / 1000 ** (index - PLAIN))} ${PREFIXES[index]}${unit}`;
}

/** The number in words such as "1.5 MPa" or "2e4"; NaN where there is none. */
export function fromSi(words, unit) {
  const found = words.trim().match(/^([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*(\D*)$/i);
  if (!found) return NaN;
  const prefix = found[2].trim().replace(new RegExp(`${unit}$`), "");
  const power = PREFIXES.indexOf(prefix);
  return power < 0 ? NaN : Number(found[1].replace(",", ".")) * 1000 ** (power - PLAIN);
}
