// What is heard: the sound track, in step with the frames. Browsers are silent until a person asks for sound.

function createSound(text, button) {
  button.hidden = text === null;
  let [context, buffer, source, wanted] = [null, null, null, false];
  const stop = () => { if (source !== null) { source.stop(); source.disconnect(); source = null; } };

  function begin(time, speed) {
    stop();
    if (!wanted || buffer === null || time >= buffer.duration) return;
    source = context.createBufferSource();
    [source.buffer, source.playbackRate.value] = [buffer, speed];
    source.connect(context.destination);
    source.start(0, Math.max(time, 0));
  }

  async function turn(on, again) {
    wanted = on;
    button.textContent = on ? "🔊" : "🔇";
    button.setAttribute("aria-label", on ? "Silence" : "Sound");
    if (context === null && on) {
      context = new AudioContext();
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      buffer = await context.decodeAudioData(bytes.buffer);
    }
    if (on) again(); else stop();
  }
  return { begin, stop, turn, get on() { return wanted; } };
}
