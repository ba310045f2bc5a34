// One WebSocket that comes back by itself. Socket and timers are handed in, so tests own time.

import { delayBefore } from "./backoff.js";

/** The close code of a server that wants a session first. */
export const SESSION_CLOSED = 4401;

/** The reason of that close to whoever was inside. */
const SESSION_ENDED = "session_ended";

/** The close code of a server that cannot use the session's name: coming again is no use. */
export const NAME_REFUSED = 4409;

/**
 * States: "connected", "reconnecting" (an attempt is under way or awaited), "disconnected"
 * (attempts used up, or closed by the user), "locked" (a session is needed first), "ended" (the
 * session that one was in by is over), "refused" (the session's name cannot be used).
 */
export class Connection {
  #openSocket;
  #timers;
  #listener;
  #socket = null;
  #timer = null;
  #attempt = 0;

  /**
   * @param openSocket () => WebSocket-like
   * @param timers {setTimeout, clearTimeout, now}
   * @param listener {status({state, attempt, retryAt}), opened(), closed(), frame(text)}
   */
  constructor(openSocket, timers, listener) {
    this.#openSocket = openSocket;
    this.#timers = timers;
    this.#listener = listener;
  }

  /** Connect now, with all attempts before it. Also what the reconnect button does. */
  connect() {
    this.#drop();
    this.#attempt = 0;
    this.#report("reconnecting");
    this.#dial();
  }

  /** Close on the user's wish; nothing is tried until `connect`. */
  disconnect() {
    this.#drop();
    this.#report("disconnected");
  }

  /** Send a frame; false when there is no open connection to take it. */
  send(frame) {
    if (this.#socket?.readyState !== 1) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #dial() {
    const socket = this.#openSocket();
    this.#socket = socket;
    const current = (react) => (event) => this.#socket === socket && react(event);
    socket.onopen = current(() => this.#opened());
    socket.onclose = current((event) => this.#closed(event));
    socket.onmessage = current((event) => this.#listener.frame(event.data));
  }

  #opened() {
    this.#attempt = 0;
    this.#report("connected");
    this.#listener.opened();
  }

  #closed({ code, reason }) {
    this.#socket = null;
    this.#listener.closed();
    if (code === SESSION_CLOSED) return this.#report(reason === SESSION_ENDED ? "ended" : "locked");
    if (code === NAME_REFUSED) return this.#report("refused");
    this.#attempt += 1;
    const delayMs = delayBefore(this.#attempt);
    if (delayMs === null) return this.#report("disconnected");
    this.#timer = this.#timers.setTimeout(() => this.#dial(), delayMs);
    this.#report("reconnecting", this.#timers.now() + delayMs);
  }

  #drop() {
    this.#timers.clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.close();
    this.#listener.closed();
  }

  #report(state, retryAt = null) {
    this.#listener.status({ state, attempt: this.#attempt, retryAt });
  }
}
