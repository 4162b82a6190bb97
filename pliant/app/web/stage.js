// The stage: light, ground, shadow, and the camera that looks at it.

import {
  CanvasTexture,
  CircleGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  ShadowMaterial,
  SRGBColorSpace,
  VSMShadowMap,
  Vector3,
  WebGLRenderer,
} from "./vendor/three.module.js";
import { isSoftware } from "./driver.js";
import { OrbitControls } from "./vendor/OrbitControls.js";

const LOOK = new Vector3(0.55, 0.42, 1).normalize();
const SUN = new Vector3(-0.35, 1, 0.45).normalize();
const OWN_SHADOW = -0.006; // of the depth that the light sees: how far behind an open surface its shadow begins
const STEADY = 0.9; // of the time of earlier frames in that of a frame
const GROUND_GAP = 0.45; // of the size of the solid: how far below it the floor lies, where it hangs in the air

export class Stage {
  constructor(canvas, onChange) {
    this.canvas = canvas;
    this.isSoftware = isSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.isSoftware, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.isSoftware ? PCFShadowMap : VSMShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    this.setLights();
    this.setGround();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", onChange);
    this.wireframe = false;
    this.inset = { right: 0, bottom: 0 };
    this.bounds = { center: new Vector3(), size: 1 };
    this.setColours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.setColours();
      onChange();
    });
  }

  setLights() {
    this.sky = new HemisphereLight(0xffffff, 0xffffff, 1);
    this.sun = new DirectionalLight(0xfff4e8, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.isSoftware ? 512 : 1024);
    this.sun.shadow.radius = this.isSoftware ? 3 : 7;
    this.sun.shadow.blurSamples = 12;
    this.fill = new DirectionalLight(0xdbe8ff, 0.5);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill);
  }

  setGround() {
    const disc = new CircleGeometry(1, 64).rotateX(-Math.PI / 2);
    this.floor = new Mesh(disc, new MeshBasicMaterial({ map: fade(), transparent: true, depthWrite: false }));
    this.shade = new Mesh(disc, new ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.floor.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.scene.add(this.floor, this.shade);
  }

  setColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => new Color(style.getPropertyValue(name).trim());
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.scene.background = colour("--back");
    this.floor.material.color = colour("--floor");
    this.material.color = colour("--solid");
    const shown = this.surface?.mesh.material;
    if (shown && !shown.vertexColors) shown.color.copy(this.material.color);
    this.sky.color.set(dark ? 0xb8c6d8 : 0xffffff);
    this.sky.groundColor.set(dark ? 0x4a3d38 : 0xd8c8c0);
    this.sky.intensity = dark ? 0.9 : 1.5;
    this.sun.intensity = dark ? 2.1 : 1.9;
    this.shade.material.opacity = dark ? 0.5 : 0.2;
  }

  /** Put a surface on stage in place of the one before; where it floats and no ground is known, there is no floor. */
  setSurface(surface, { rest, continues, twoSided }, ground, floats) {
    if (this.surface) {
      this.scene.remove(this.surface.mesh);
      this.surface.dispose();
    }
    this.surface = surface;
    surface.mesh.visible = false; // until its first frame is there
    surface.mesh.castShadow = true;
    surface.mesh.receiveShadow = true;
    surface.mesh.material.wireframe = this.wireframe;
    this.scene.add(surface.mesh);
    if (continues) return;
    this.bounds = boundsOf(rest);
    this.followed = this.bounds.center.clone();
    this.fitStage(ground);
    this.floor.visible = this.shade.visible = ground !== null || !floats;
    // The lit side of what has two of them casts shadows as well, and would fall into its own; its normals may point away.
    if (twoSided) Object.assign(this.sun.shadow, { normalBias: 0, bias: OWN_SHADOW });
  }

  setWireframe(on) {
    this.wireframe = on;
    if (this.surface) this.surface.mesh.material.wireframe = on;
  }

  /** Let camera, light and floor go along with a point that moves; within `slack` [m] of it they need not. */
  follow(point, slack = 0) {
    const move = new Vector3(...point).sub(this.followed);
    move.multiplyScalar(Math.max(0, 1 - slack / (move.length() || 1)));
    this.followed.add(move);
    const moved = [this.controls.target, this.camera.position, this.bounds.center, this.sun.position];
    moved.push(this.sun.target.position, this.fill.position, this.floor.position, this.shade.position);
    for (const position of moved) position.add(move);
    this.controls.update();
    return move;
  }

  /** Where a point of the world lies in the window [pixels]. */
  pixelOf(point) {
    const x = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((x.x + 1) / 2) * box.width, box.top + ((1 - x.y) / 2) * box.height];
  }

  fitStage(ground) {
    const { center, size, low } = this.bounds;
    const height = ground ?? low - GROUND_GAP * size;
    this.floor.position.set(center.x, height, center.z);
    this.shade.position.set(center.x, height + 1e-4 * size, center.z);
    this.floor.scale.setScalar(3.2 * size);
    this.shade.scale.setScalar(3.2 * size);
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(SUN, 4 * size);
    this.fill.position.copy(center).add(new Vector3(2 * size, 0.5 * size, -2 * size));
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -1.3 * size;
    box.right = box.top = 1.3 * size;
    box.near = size;
    box.far = 9 * size;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.bias = -0.0005;
    this.camera.near = size / 100;
    this.camera.far = 40 * size;
    this.controls.minDistance = 0.15 * size;
    this.controls.maxDistance = 12 * size;
  }

  /** Look at everything, from where the scene asks, or from a direction; one is usually good. */
  frame(view = null, from = LOOK) {
    const { center, size } = this.bounds;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, this.camera.aspect);
    const target = view ? new Vector3(...view[1]) : center;
    const arm = view ? new Vector3(...view[0]).sub(target) : from.clone().normalize().multiplyScalar((0.68 * size) / half);
    // What fits a wide window does not fit a phone.
    if (view && this.camera.aspect < 1) arm.setLength(Math.max(arm.length(), (0.6 * size) / half));
    this.controls.target.copy(target);
    this.camera.position.copy(target).add(arm);
    this.controls.update();
    this.resize();
  }

  /** Keep the solid in the middle of what the panel leaves free. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const [free, tall] = [width - this.inset.right, height - this.inset.bottom];
    this.renderer.setPixelRatio(this.isSoftware ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = free / tall;
    this.camera.setViewOffset(free, tall, 0, 0, width, height);
    this.camera.updateProjectionMatrix();
  }

  draw() {
    const began = performance.now();
    this.renderer.render(this.scene, this.camera);
    const taken = (performance.now() - began) / 1000;
    this.drawn = this.drawn === undefined ? taken : STEADY * this.drawn + (1 - STEADY) * taken;
  }
}

function boundsOf(x) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < x.length; i += 1) {
    low[i % 3] = Math.min(low[i % 3], x[i]);
    high[i % 3] = Math.max(high[i % 3], x[i]);
  }
  const center = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
  return { center, size: Math.hypot(...high.map((h, i) => h - low[i])) || 1, low: low[1] };
}

/** A disc that fades out towards its rim. */
function fade() {
  const side = 256;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  const gradient = pen.createRadialGradient(side / 2, side / 2, 0, side / 2, side / 2, side / 2);
  gradient.addColorStop(0, "rgb(255 255 255 / 100%)");
  gradient.addColorStop(0.35, "rgb(255 255 255 / 80%)");
  gradient.addColorStop(1, "rgb(255 255 255 / 0%)");
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, side, side);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
