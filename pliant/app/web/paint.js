// Colours of a surface on the corners that are drawn: paint, one a triangle, or a texture.

import {
  BufferAttribute,
  Color,
  DoubleSide,
  RepeatWrapping,
  SRGBColorSpace,
  TextureLoader,
} from "./vendor/three.module.js";
import { cornerColours, cornerPlaces } from "./creases.js";

/** Is every triangle given a colour? */
export const isPainted = ({ paint }) => paint !== null;

/** The material of a surface: white below colours and textures, with two sides where it is open. */
export function materialFor(geometry, material, onLoad) {
  if (!isPainted(geometry) && !geometry.twoSided && !geometry.uv) return material;
  const own = material.clone();
  if (geometry.twoSided) own.side = DoubleSide;
  if (isPainted(geometry) || geometry.uv) own.color.set(0xffffff);
  own.vertexColors = isPainted(geometry);
  if (geometry.uv) own.map = geometry.texture ??= loadTexture(geometry.number, onLoad);
  return own;
}

function loadTexture(number, onLoad) {
  const texture = new TextureLoader().load(`texture/${number}`, onLoad);
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  return texture;
}

/** Give the buffers of a painted or textured surface their colours. */
export function setColours(buffers, { paint, uv, palette, corners }) {
  if (uv) buffers.setAttribute("uv", new BufferAttribute(cornerPlaces(corners, uv), 2));
  if (paint === null) return;
  const linear = palette.map((rgb) => new Color().setRGB(...rgb, SRGBColorSpace).toArray());
  buffers.setAttribute("color", new BufferAttribute(cornerColours(corners, paint, linear), 3));
}
