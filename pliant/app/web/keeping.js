// Files to keep: a picture of the view, and the recording.

/** Save what is seen as a .png. */
export function saveScreenshot(stage) {
  // The picture is gone once the browser has shown it, so it is drawn anew.
  stage.draw();
  stage.canvas.toBlob((blob) => saveBlob(blob, "pliant.png"), "image/png");
}

/** Ask the server for the recording, as glb or html; what goes wrong is said. */
export async function saveRecording(ending, say) {
  const response = await fetch(`recording.${ending}`);
  if (response.ok) saveBlob(await response.blob(), `pliant-recording.${ending}`);
  else say((await response.text()) || "the recording could not be written", "error");
}

/** Ask the server for the scene as a file; why there is none is said. */
export async function saveScene(say) {
  const response = await fetch("scene.toml");
  if (response.ok) saveBlob(await response.blob(), "scene.toml");
  else say(await response.text(), "error");
}

export function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
