// Colours of a painted surface: one a triangle, on the corners that are drawn.

import { BufferAttribute, Color, DoubleSide, SRGBColorSpace } from "./vendor/three.module.js";
import { cornerColours } from "./creases.js";

/** Is every triangle given a colour? */
export const isPainted = ({ paint }) => paint !== null;

/** The material of a surface: painted ones are white below their colours, open ones have two sides. */
export function materialFor(geometry, material) {
  if (!isPainted(geometry) && !geometry.twoSided) return material;
  const own = material.clone();
  if (geometry.twoSided) own.side = DoubleSide;
  if (isPainted(geometry)) {
    own.color.set(0xffffff);
    own.vertexColors = true;
  }
  return own;
}

/** Give the buffers of a painted surface their colours. */
export function setColours(buffers, { paint, palette, corners }) {
  if (paint === null) return;
  const linear = palette.map((rgb) => new Color().setRGB(...rgb, SRGBColorSpace).toArray());
  buffers.setAttribute("color", new BufferAttribute(cornerColours(corners, paint, linear), 3));
}
