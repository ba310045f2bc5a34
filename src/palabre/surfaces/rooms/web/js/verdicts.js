// Thumbs and pins: shown at once, told to the server one after the other, and undone here when it
// does not take them.

import { signal } from "../vendor/signals.js";
import { withQuery } from "./core/api.js";
import {
  EMPTY_VERDICTS,
  isPinned,
  judgementOf,
  pinOf,
  withPin,
  withVote,
  withoutPin,
  withoutVote,
} from "./core/verdicts.js";

const FEEDBACK = "api/v2/feedback";

export class Verdicts {
  all = signal(EMPTY_VERDICTS);
  #api;
  #tickets;
  #preferences;
  #failed;
  /** The end of the last call: what is told twice must come in its order. */
  #told = Promise.resolve();

  /**
   * @param api Api
   * @param tickets Tickets: who has no session is known by its connection
   * @param preferences {pins}
   * @param failed (line, problem) => void, when the server did not take it
   */
  constructor({ api, tickets, preferences, failed }) {
    this.#api = api;
    this.#tickets = tickets;
    this.#preferences = preferences;
    this.#failed = failed;
    this.all.value = { ...EMPTY_VERDICTS, pins: preferences.pins };
  }

  /** The opposite thumb takes the place of the one before; the same one takes it back. */
  async vote(line, vote, channel) {
    const id = line.replyId;
    const before = this.all.value.votes[id];
    const after = before === vote ? undefined : vote;
    this.#show(id, after);
    const isTaken = await (after ? this.#tell(line, vote, channel) : this.#withdraw(line, vote));
    if (!isTaken && this.all.value.votes[id] === after) this.#show(id, before);
  }

  /** Pins stay in this browser until they are taken out of it. */
  async pin(line, channel) {
    const pin = pinOf(line, channel);
    if (isPinned(this.all.value, pin.id)) return this.unpin(pin);
    this.#keep(withPin(this.all.value, pin));
    if (!(await this.#tell(line, "pin", channel))) this.#keep(withoutPin(this.all.value, pin.id));
  }

  /** @param pin {id, nick} */
  async unpin({ id, nick }) {
    this.#keep(withoutPin(this.all.value, id));
    await this.#withdraw({ replyId: id, nick }, "pin");
  }

  #show(id, vote) {
    this.all.value = vote ? withVote(this.all.value, id, vote) : withoutVote(this.all.value, id);
  }

  #keep(verdicts) {
    this.all.value = verdicts;
    this.#preferences.pins = verdicts.pins;
  }

  #tell(line, vote, channel) {
    return this.#send(line, "POST", FEEDBACK, judgementOf(line, vote, channel));
  }

  /** What the server does not know, or knows as somebody else's, is not there any more either. */
  #withdraw(line, vote) {
    const path = `${FEEDBACK}/${encodeURIComponent(line.replyId)}`;
    return this.#send(line, "DELETE", withQuery(path, { personaNick: line.nick, vote }));
  }

  /** @returns whether the server took it, once all before it were answered */
  #send(line, method, path, body) {
    const send = async () => {
      try {
        const ticket = await this.#tickets.take();
        const headers = ticket?.ticket ? { "x-upload-ticket": ticket.ticket } : {};
        await this.#api.send(method, path, body, headers);
        return true;
      } catch (problem) {
        if (method === "DELETE" && problem.status === 404) return true;
        this.#failed(line, problem);
        return false;
      }
    };
    this.#told = this.#told.then(send, send);
    return this.#told;
  }
}
