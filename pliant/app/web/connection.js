// The WebSocket to the server: opens it, opens it again when it is lost, and keeps to a sensible rate.

import { decodeFrame, decodeReport } from "./messages.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
const PACE = 30; // ms between two messages of a kind that is sent while something is dragged

/** Listeners: frame(frame), report(report), state(isConnected), broken(error). */
export class Connection {
  constructor(listeners) {
    this.listeners = listeners;
    this.wait = FIRST_WAIT;
    this.held = new Map();
    this.open();
  }

  open() {
    const address = new URL("live", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.search = address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listeners.state(true);
    };
    this.socket.onmessage = ({ data }) => this.hear(data);
    this.socket.onclose = () => {
      this.listeners.state(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    };
  }

  hear(data) {
    try {
      if (typeof data === "string") this.listeners.report(decodeReport(data));
      else this.listeners.frame(decodeFrame(data));
    } catch (error) {
      this.listeners.broken(error);
    }
  }

  send(command) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  /** Send the newest command of a kind soon, and the ones before it never. */
  sendSoon(key, command) {
    const waiting = this.held.has(key);
    this.held.set(key, command);
    if (!waiting) setTimeout(() => this.flush(key), PACE);
  }

  flush(key) {
    if (!this.held.has(key)) return;
    this.send(this.held.get(key));
    this.held.delete(key);
  }
}
