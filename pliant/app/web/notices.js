// What the page says: passing notices, a banner for what stopped the simulation, progress of a build.

const SECONDS = 6;
const MOST = 4;

export function notice(sentence, level = "info") {
  const box = document.getElementById("notices");
  if (box.lastElementChild?.textContent === sentence) return;
  const note = document.createElement("div");
  note.className = `notice ${level}`;
  note.textContent = sentence;
  box.append(note);
  while (box.children.length > MOST) box.firstElementChild.remove();
  setTimeout(() => note.remove(), 1000 * SECONDS);
}

/** Show a banner until it is called with null; the button is for what can be done about it. */
export function banner(sentence, label = null, action = null) {
  const box = document.getElementById("alert");
  box.hidden = sentence === null;
  const [words, button] = [box.querySelector("p"), box.querySelector("button")];
  if (sentence !== null && words.textContent !== sentence) words.textContent = sentence;
  button.hidden = label === null;
  button.textContent = label ?? "";
  button.onclick = action;
}

let told = { stage: "", since: 0, ticking: 0 };

/** A stage that takes long counts its seconds, so that one sees it go on where it knows no share of itself. */
export function progress({ stage, fraction }) {
  const box = document.getElementById("progress");
  box.hidden = stage === "";
  const percent = Math.round(100 * Math.min(1, Math.max(0, fraction)));
  box.setAttribute("aria-valuenow", String(percent));
  box.querySelector(".fill").style.width = `${percent}%`;
  if (stage !== told.stage) {
    clearInterval(told.ticking);
    told = { stage, since: performance.now(), ticking: stage ? setInterval(sayStage, 1000) : 0 };
  }
  sayStage();
}

function sayStage() {
  const seconds = Math.floor((performance.now() - told.since) / 1000);
  const words = told.stage ? `Building: ${told.stage}${seconds ? `, ${seconds} s` : ""}` : "";
  document.querySelector("#progress .stage").textContent = words;
}
