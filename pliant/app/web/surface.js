// Chooses how a geometry is drawn: on the GPU, or in JavaScript where the driver is software or the basis does not fit.

import { CpuSurface } from "./cpu-surface.js";
import { GpuSurface, fitsGpu } from "./gpu-surface.js";
import { materialFor } from "./paint.js";

/** `onLoad` is called when its texture is there. `?draw=gpu` or `?draw=cpu` in the address forces one. */
export function makeSurface(geometry, stage, onLoad) {
  const { corners } = geometry;
  const material = materialFor(geometry, stage.material, onLoad);
  const wanted = new URLSearchParams(location.search).get("draw");
  const able = fitsGpu(stage.renderer, geometry);
  if (able && (wanted === "gpu" || (wanted !== "cpu" && !stage.isSoftware))) {
    return new GpuSurface(geometry, corners, material, stage.renderer);
  }
  return new CpuSurface(geometry, corners, material);
}
