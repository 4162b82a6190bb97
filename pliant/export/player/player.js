// What a person does with it: turn, zoom, pan, play, scrub.

const ANGLE = (28 * Math.PI) / 180;

function createView(canvas, bounds) {
  const start = () => ({ turn: 0.5, tilt: 0.36, zoom: 1, target: [...bounds.centre] });
  let state = start();
  const fingers = new Map();
  const aspect = () => canvas.clientWidth / Math.max(canvas.clientHeight, 1);
  const distance = () => state.zoom * fittingDistance(bounds.half, viewAxes(start()), aspect());

  function pan(dx, dy) {
    const { right, up } = viewAxes(state);
    const scale = (2 * distance() * Math.tan(ANGLE / 2)) / canvas.clientHeight;
    state.target = state.target.map((value, k) => value - scale * (dx * right[k] - dy * up[k]));
  }

  function zoom(factor) {
    state.zoom = Math.min(5, Math.max(0.1, state.zoom * factor));
  }

  function turn(dx, dy) {
    state.turn -= 0.007 * dx;
    state.tilt = Math.min(1.5, Math.max(-0.1, state.tilt + 0.007 * dy));
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    if (fingers.size === 1) (event.shiftKey || event.buttons === 2 ? pan : turn)(dx, dy);
    const gap = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
    const wide = fingers.size === 2 ? gap() : 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (fingers.size === 2) { zoom(wide / Math.max(gap(), 1)); pan(dx / 2, dy / 2); }
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(0.0012 * event.deltaY)); }, { passive: false });
  canvas.addEventListener("dblclick", () => { state = start(); });

  return () => {
    const { right, up, back } = viewAxes(state);
    const far = distance();
    const eye = state.target.map((value, k) => value + far * back[k]);
    return { eye, matrix: cameraMatrix([right, up, back], eye, aspect(), 0.02 * far, far + 40 * bounds.radius) };
  };
}

function viewAxes({ turn, tilt }) {
  const [ct, st, cp, sp] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  return { right: [ct, 0, -st], up: [-st * sp, cp, -ct * sp], back: [st * cp, sp, ct * cp] };
}

// How far away all corners of a box are in the picture, with some air around them.
function fittingDistance(half, { right, up, back }, aspect) {
  const slope = Math.tan(ANGLE / 2) / 1.25;
  const along = (axis, corner) => axis.reduce((sum, value, k) => sum + value * half[k] * (corner & (1 << k) ? 1 : -1), 0);
  const needed = [...Array(8).keys()].map((corner) => {
    const [x, y] = [Math.abs(along(right, corner)), Math.abs(along(up, corner))];
    return Math.max(x / (slope * aspect), y / slope) + along(back, corner);
  });
  return Math.max(...needed, 1e-6);
}

// Column-major projection times view.
function cameraMatrix(rows, eye, aspect, near, far) {
  const focal = 1 / Math.tan(ANGLE / 2);
  const shift = rows.map((row) => -(row[0] * eye[0] + row[1] * eye[1] + row[2] * eye[2]));
  const columns = [0, 1, 2].map((k) => rows.map((row) => row[k])).concat([shift]);
  return columns.flatMap(([x, y, z], k) => {
    const w = k === 3 ? 1 : 0;
    return [(focal / aspect) * x, focal * y, ((far + near) * z + 2 * far * near * w) / (near - far), -z];
  });
}

function startPlayer(recording) {
  const [canvas, play, scrub, clock, speed] = ["picture", "play", "scrub", "clock", "speed"].map((id) => document.getElementById(id));
  const bounds = boundsOf(recording);
  const drawing = createDrawing(canvas, recording, bounds);
  const view = createView(canvas, bounds);
  const times = recording.times;
  const last = times.length - 1;
  let [playing, time, shown, drawn, before] = [last > 0, times[0], -1, "", performance.now()];
  scrub.max = last;
  const sound = createSound(recording.sound, document.getElementById("sound"));
  const sing = () => (playing ? sound.begin(time - times[0], Number(speed.value)) : sound.stop());
  document.getElementById("sound").addEventListener("click", () => sound.turn(!sound.on, sing));
  speed.addEventListener("change", sing);

  const setPlaying = (on) => {
    playing = on && last > 0;
    play.textContent = playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    sing();
  };
  const goTo = (frame) => { setPlaying(false); time = times[Math.min(last, Math.max(0, frame))]; };
  play.addEventListener("click", () => setPlaying(!playing));
  scrub.addEventListener("input", () => goTo(Number(scrub.value)));
  document.addEventListener("keydown", (event) => {
    if (event.target !== document.body) return;
    if (event.key === " ") { event.preventDefault(); setPlaying(!playing); }
    if (event.key === "ArrowLeft") goTo(shown - 1);
    if (event.key === "ArrowRight") goTo(shown + 1);
  });

  function show(frame) {
    if (frame === shown) return;
    shown = frame;
    drawing.move(positionsAt(recording, frame));
    scrub.value = frame;
    clock.textContent = `${times[frame].toFixed(2)} s`;
  }

  function tick(now) {
    if (playing) time += ((now - before) / 1000) * Number(speed.value);
    before = now;
    if (time > times[last]) { time = times[0]; sing(); }
    show(nearest(times, time));
    const scale = window.devicePixelRatio || 1;
    const size = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const seen = view();
    // A picture that would look the same is not drawn again: a paused page costs nothing.
    const picture = [shown, ...size, ...seen.matrix].join();
    if (picture !== drawn) drawing.draw(seen);
    drawn = picture;
    requestAnimationFrame(tick);
  }
  setPlaying(playing);
  requestAnimationFrame(tick);
}

function nearest(times, time) {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle; else high = middle;
  }
  return time - times[low] <= times[high] - time ? low : high;
}

const recording = decodeRecording(JSON.parse(document.getElementById("recording").textContent));
try {
  startPlayer(recording);
} catch (error) {
  const trouble = document.getElementById("trouble");
  trouble.textContent = error.message;
  trouble.hidden = false;
}
