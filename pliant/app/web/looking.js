// How the solid is looked at: by which colours, as a wire frame, and from where.

import { Vector3 } from "./vendor/three.module.js";
import { FIELDS } from "./field.js";
import { commands } from "./messages.js";

const VIEWS = {
  front: new Vector3(0, 0, 1),
  side: new Vector3(1, 0, 0),
  top: new Vector3(0, 1, 1e-3),
};

/** Wire the controls of the section; `scene()` tells the camera of the scene, or null. */
export function wireLooking(stage, colouring, { scene, connection }, refresh) {
  const element = (id) => document.getElementById(id);
  element("colour").addEventListener("change", ({ target }) => {
    colouring.choose(target.value);
    connection.send(commands.colour(FIELDS[target.value]?.told ? target.value : null));
    refresh();
  });
  element("wireframe").addEventListener("click", () => {
    stage.setWireframe(!stage.wireframe);
    element("wireframe").setAttribute("aria-pressed", String(stage.wireframe));
    refresh();
  });
  element("view-scene").addEventListener("click", () => {
    stage.frame(scene());
    refresh();
  });
  for (const [name, direction] of Object.entries(VIEWS)) {
    element(`view-${name}`).addEventListener("click", () => {
      stage.frame(null, direction);
      refresh();
    });
  }
}
