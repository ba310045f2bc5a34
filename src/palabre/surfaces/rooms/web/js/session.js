// Who has logged in here, until when, and what happens when that ends.

import { signal } from "../vendor/signals.js";

/** How long before its end a session says so. */
export const WARN_MS = 5 * 60_000;

export class SessionKeeper {
  /** {username, role, expiresAt, ...} as the server tells it; null: nobody; undefined: not asked yet. */
  session = signal(undefined);
  /** Milliseconds since 1970, by our clock, of the end that was told; null while it is far. */
  endsAt = signal(null);
  /** Whether the user ended the session: nothing of it is to be seen any more. */
  hasLeft = false;
  #api;
  #timers;
  #preferences;
  #timer = null;

  /**
   * @param api Api, whose `refused` calls `lost`
   * @param timers {setTimeout, clearTimeout, now}
   * @param preferences {hasSession}: whether one was begun in this browser and not ended
   */
  constructor(api, timers, preferences) {
    this.#preferences = preferences;
    this.#api = api;
    this.#timers = timers;
  }

  /** Ask the server who we are; a Problem other than "nobody" is thrown. */
  async look() {
    try {
      this.#take(await this.#api.get("api/session"));
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      this.lost();
    }
  }

  /** Throws a Problem when the server does not let us in. */
  async logIn(login) {
    this.#take(await this.#api.send("POST", "api/session/login", login));
  }

  async logOut() {
    this.hasLeft = true; // before the rooms close, which may be sooner than the answer
    await this.#api.send("POST", "api/session/logout").catch((problem) => {
      if (problem.status === 401) return;
      this.hasLeft = false;
      throw problem;
    });
    this.lost();
  }

  /** The session has ended, by whatever. */
  lost() {
    this.#timers.clearTimeout(this.#timer);
    this.endsAt.value = null;
    this.session.value = null;
    this.#preferences.hasSession = false;
  }

  #take(session) {
    this.#timers.clearTimeout(this.#timer);
    this.endsAt.value = null;
    this.hasLeft = false;
    this.session.value = session;
    this.#preferences.hasSession = true;
    const end = Date.parse(session.expiresAt) - this.#api.aheadMs;
    if (!Number.isNaN(end)) this.#wait(end - WARN_MS, () => this.#warn(end));
  }

  #warn(end) {
    this.endsAt.value = end;
    this.#wait(end, () => this.lost());
  }

  #wait(at, act) {
    this.#timer = this.#timers.setTimeout(act, Math.max(0, at - this.#timers.now()));
  }
}
