// "Drag me", beside the solid, until somebody has dragged it once.

const KNOWN = "pliant-dragged";
const EDGE = 16; // pixels that stay free at the right
let shown = true;

const box = () => document.getElementById("hint");

/** Keep the hint beside a place of the window, while there is one to show, and left of `right` [pixels]. */
export function showHint(place, right) {
  const wanted = shown && place !== null && !knows();
  box().hidden = !wanted;
  if (!wanted) return;
  box().style.left = `${Math.min(place[0], right - box().offsetWidth - EDGE)}px`;
  box().style.top = `${place[1]}px`;
}

/** It was dragged: nobody needs to be told again. */
export function endHint() {
  shown = false;
  box().hidden = true;
  try {
    localStorage.setItem(KNOWN, "yes");
  } catch {
    // Private windows keep nothing, and are told again next time.
  }
}

function knows() {
  try {
    return localStorage.getItem(KNOWN) !== null;
  } catch {
    return false;
  }
}
