// Colours of a painted surface: one a triangle, on the corners that are drawn.

import { BufferAttribute, Color, SRGBColorSpace } from "./vendor/three.module.js";
import { cornerColours } from "./creases.js";

/** Is every triangle given a colour? */
export const isPainted = ({ paint }) => paint !== null;

/** The material of a surface: painted ones are white below their colours. */
export function materialFor(geometry, material) {
  if (!isPainted(geometry)) return material;
  const painted = material.clone();
  painted.color.set(0xffffff);
  painted.vertexColors = true;
  return painted;
}

/** Give the buffers of a painted surface their colours. */
export function setColours(buffers, { paint, palette, corners }) {
  if (paint === null) return;
  const linear = palette.map((rgb) => new Color().setRGB(...rgb, SRGBColorSpace).toArray());
  buffers.setAttribute("color", new BufferAttribute(cornerColours(corners, paint, linear), 3));
}
