// Thumbs and pins: shown at once, told to the server, and taken back when it does not take them.

import { signal } from "../vendor/signals.js";
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

  /** The opposite thumb takes the place of the one before; the same one changes nothing. */
  async vote(line, vote, channel) {
    const before = this.all.value.votes[line.replyId];
    if (before === vote) return;
    this.all.value = withVote(this.all.value, line.replyId, vote);
    if (await this.#tell(line, vote, channel)) return;
    if (this.all.value.votes[line.replyId] !== vote) return;
    this.all.value = before
      ? withVote(this.all.value, line.replyId, before)
      : withoutVote(this.all.value, line.replyId);
  }

  /** Pins stay in this browser until they are taken out of it. */
  async pin(line, channel) {
    if (isPinned(this.all.value, line.replyId)) return this.unpin(line.replyId);
    this.#keep(withPin(this.all.value, pinOf(line, channel)));
    if (!(await this.#tell(line, "pin", channel))) this.unpin(line.replyId);
  }

  unpin(id) {
    this.#keep(withoutPin(this.all.value, id));
  }

  #keep(verdicts) {
    this.all.value = verdicts;
    this.#preferences.pins = verdicts.pins;
  }

  async #tell(line, vote, channel) {
    try {
      const ticket = await this.#tickets.take();
      const headers = ticket?.ticket ? { "x-upload-ticket": ticket.ticket } : {};
      await this.#api.send("POST", FEEDBACK, judgementOf(line, vote, channel), headers);
      return true;
    } catch (problem) {
      this.#failed(line, problem);
      return false;
    }
  }
}
