// The gallery: every scene with its picture, to choose one.

import { commands } from "./messages.js";

/** Fill the dialog with scenes; choosing one asks the server for it. */
export function fillGallery(scenes, connection) {
  const dialog = document.getElementById("gallery");
  const cards = scenes.map(({ name, title, claim, pictured }) => {
    const card = document.createElement("button");
    card.type = "button";
    card.dataset.scene = name;
    if (pictured) card.append(Object.assign(new Image(), { src: `thumbnails/${encodeURIComponent(name)}`, alt: "" }));
    card.append(words("b", title), words("span", claim));
    card.addEventListener("click", () => {
      connection.send(commands.scene(name));
      dialog.close();
    });
    return card;
  });
  dialog.querySelector(".cards").replaceChildren(...cards);
}

/** An address that ends in ?gallery begins with the choice. */
export function openAtStart() {
  if (new URLSearchParams(location.search).has("gallery")) document.getElementById("gallery").showModal();
}

function words(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
