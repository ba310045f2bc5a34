// The ticket that lets this connection share files by HTTP. It lives as long as the connection.

/** A server that knows no tickets says so at once; one that has answers to finish first may take long. */
const PATIENCE_MS = 600_000;

export class Tickets {
  #send;
  #timers;
  #ticket = null;
  #asked = null;

  /**
   * @param send (frame) => boolean, false when there is no connection
   * @param timers {setTimeout, clearTimeout}
   */
  constructor(send, timers) {
    this.#send = send;
    this.#timers = timers;
  }

  /** Whether an answer of the server may be about the ticket. */
  get isAsked() {
    return this.#asked !== null;
  }

  /**
   * The ticket as {ticket, maxBytes}; null when the server knows none; "offline" without
   * connection; "busy" when the server takes no frames now.
   */
  take() {
    if (this.#ticket) return Promise.resolve(this.#ticket);
    this.#asked ??= this.#ask();
    return this.#asked?.promise ?? Promise.resolve("offline");
  }

  /** The server gave a ticket. */
  received({ ticket, maxBytes }) {
    this.#ticket = { ticket, maxBytes };
    this.#answer(this.#ticket);
  }

  /** The server refused the frame that asks: it takes none now ("busy"), or knows none (null). */
  refused(outcome) {
    this.#answer(outcome);
  }

  /** The ticket is not taken any more. */
  forget() {
    this.#ticket = null;
  }

  /** The connection is gone, and its ticket with it. */
  closed() {
    this.#ticket = null;
    this.#answer("offline");
  }

  #ask() {
    if (!this.#send({ type: "uploadTicket" })) return null;
    const { promise, resolve } = withResolvers();
    const timer = this.#timers.setTimeout(() => this.#answer(null), PATIENCE_MS);
    return { promise, resolve, timer };
  }

  #answer(outcome) {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = null;
    this.#timers.clearTimeout(asked.timer);
    asked.resolve(outcome);
  }
}

function withResolvers() {
  let resolve;
  const promise = new Promise((take) => (resolve = take));
  return { promise, resolve };
}
