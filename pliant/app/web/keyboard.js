// Keys: everything that can be done with a pointer on the picture.

import { Spherical, Vector3 } from "./vendor/three.module.js";

const TURN = 0.08;
const ZOOM = 1.08;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** `actions`: what each key does; `stage` and `grab` for the arrows. */
export function listen(actions, stage, grab) {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest("input, select, textarea");
    const pressing = event.target.closest("button");
    const arrow = ARROWS[event.key];
    if (arrow && !typing) {
      if (grab.isPulling) grab.nudge(...arrow);
      else turn(stage, ...arrow);
    } else if (actions[event.key] && !(typing && event.key !== "Escape") && !(pressing && event.key === " ")) {
      if (!event.repeat || event.key === "s") actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
}

function turn(stage, right, up) {
  const { camera, controls } = stage;
  const around = new Spherical().setFromVector3(new Vector3().subVectors(camera.position, controls.target));
  around.theta += right * TURN;
  around.phi -= up * TURN;
  around.makeSafe();
  camera.position.setFromSpherical(around).add(controls.target);
  controls.update();
}

export function zoom(stage, closer) {
  const { camera, controls } = stage;
  camera.position
    .sub(controls.target)
    .multiplyScalar(closer ? 1 / ZOOM : ZOOM)
    .add(controls.target);
  controls.update();
}
