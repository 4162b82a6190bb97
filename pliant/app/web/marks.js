// What shows hands on the picture: the spring of the own hand with its force, and a mark on every point that is kept.

import {
  BufferGeometry,
  Color,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
} from "./vendor/three.module.js";
import { si } from "./units.js";

const END = 0.0072; // of the distance to the camera: radius of the end of a spring
const KEPT = 1.2; // of that: radius of a kept point
const KEEPS = 1.8; // of that: radius of the end of a spring that will be kept
const PROBED = 0.8; // of that: radius of a probe
const PAINT = 0.35; // opacity of what is painted
const ASIDE = 14; // pixels from the hand to its force

export class Marks {
  constructor(stage) {
    this.stage = stage;
    const colour = (name) => new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    this.probeColour = colour("--ink");
    this.above = { color: colour("--hand"), depthTest: false, transparent: true };
    this.ball = new SphereGeometry(1, 20, 14);
    const points = new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]);
    this.line = this.add(new Line(points, new LineBasicMaterial(this.above)));
    this.ends = [0, 1].map(() => this.add(new Mesh(this.ball, new MeshBasicMaterial(this.above))));
    [this.kept, this.probed, this.painted, this.placed, this.brushed] = [[], [], [], [], []];
    this.label = document.getElementById("force");
    this.showSpring(null);
  }

  add(thing) {
    thing.renderOrder = 10;
    thing.frustumCulled = false;
    this.stage.scene.add(thing);
    return thing;
  }

  get radius() {
    return END * this.stage.camera.position.distanceTo(this.stage.controls.target);
  }

  /** A line from where the vertex is to where the hand is, and the force [N] beside it; null takes it away. */
  showSpring(spring) {
    for (const thing of [this.line, ...this.ends]) thing.visible = spring !== null;
    this.label.hidden = !spring?.force;
    if (spring === null) return;
    this.line.geometry.setFromPoints([spring.from, spring.to]);
    [spring.from, spring.to].forEach((place, i) => {
      this.ends[i].position.copy(place);
      this.ends[i].scale.setScalar((i ? (spring.keeps ? KEEPS : 1) : 0.6) * this.radius);
    });
    if (!spring.force) return;
    this.label.textContent = si(spring.force, "N");
    const [x, y] = this.stage.pixelOf(spring.to);
    const [right, bottom] = [this.label.offsetWidth + ASIDE + 4, this.label.offsetHeight + 4];
    const above = x + ASIDE > innerWidth - right ? 4 : 2; // where there is no room beside the hand
    this.label.style.left = `${Math.min(x + ASIDE, innerWidth - right)}px`;
    this.label.style.top = `${Math.max(4, Math.min(y - above * ASIDE, innerHeight - bottom))}px`;
  }

  /** A mark on each of the places that are kept. */
  showKept(places) {
    this.showBalls(this.kept, places, this.above, KEPT);
  }

  /** A mark on each of the places that are probed. */
  showProbed(places) {
    this.showBalls(this.probed, places, { ...this.above, color: this.probeColour }, PROBED);
  }

  /** A mark on each end of the bone that is chosen, and on the place that the next begins at. */
  showPlaced(places) {
    this.showBalls(this.placed, places, this.above, KEPT);
  }

  /** A ball of this radius [m] on each of the places that are painted; what is inside is held. */
  showPainted(places, radius) {
    this.showWide(this.painted, places, radius);
  }

  /** The same on dabs of a brush for the weights of a bone. */
  showBrushed(places, radius) {
    this.showWide(this.brushed, places, radius);
  }

  showWide(balls, places, radius) {
    const look = { color: this.above.color, transparent: true, opacity: PAINT, depthWrite: false };
    this.showBalls(balls, places, look, radius / this.radius);
  }

  showBalls(balls, places, look, size) {
    while (balls.length < places.length) balls.push(this.add(new Mesh(this.ball, new MeshBasicMaterial(look))));
    balls.forEach((mark, i) => {
      mark.visible = i < places.length;
      if (!mark.visible) return;
      mark.position.set(...places[i]);
      mark.scale.setScalar(size * this.radius);
    });
  }
}
