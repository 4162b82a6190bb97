// A mesh file that is dropped onto the page, or chosen there, is sent to the server, which opens it.

const MOST = 64 * 2 ** 20; // bytes, as the server has it

/** Wire the window and the button; `say` tells what goes wrong. */
export function wireDropping(say) {
  const veil = document.getElementById("drop");
  const show = (on) => {
    veil.hidden = !on;
  };
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  window.addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    show(true);
  });
  window.addEventListener("dragleave", (event) => event.relatedTarget === null && show(false));
  window.addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    show(false);
    const [file] = event.dataTransfer.files;
    if (file) send(file, say);
  });
  const input = document.getElementById("file");
  document.getElementById("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) send(file, say);
    input.value = "";
  });
}

async function send(file, say) {
  if (file.size > MOST) {
    say(`${file.name} has more than ${MOST >> 20} MB; open it with pliant view in a terminal.`, "error");
    return;
  }
  try {
    const response = await fetch(`meshes/${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    if (response.ok) say(`${file.name} is being opened.`);
    else say((await response.text()) || "the file was refused", "error");
  } catch {
    say(`${file.name} could not be sent; is pliant still running?`, "error");
  }
}
