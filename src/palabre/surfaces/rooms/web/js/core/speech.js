// Who is heard, and when: one persona at a time, each reply in order, never mixed.
//
// Sentence: {number, url}; Turn: {key, nick, sentences, at}, `at` when it last gave or was heard.
// A reply keeps its turn while it is being written or has just been heard: its next sentence is
// on its way, and another persona must not fall into its words.

/** How long the turn of a finished reply is kept for a sentence that is still being made. */
export const QUIET_MS = 2500;

/** The same while the reply is still being written. */
export const HOLD_MS = 20_000;

/** Replies that may wait; where more is said than can be heard, the oldest are left out. */
export const MAX_TURNS = 6;

const MAX_DROPPED = 100;

export class Speech {
  #player;
  #timers;
  #isGrowing;
  #changed;
  #turns = [];
  #current = null;
  #timer = null;
  #dropped = new Set();
  #isHeld = false;
  #blocked = null;

  /**
   * @param player {play(url) => Promise of "ended", "broken" or "blocked", stop, pause, resume}
   * @param timers {setTimeout, clearTimeout, now}
   * @param isGrowing (key) => boolean, whether that reply is still being written
   * @param changed () => void
   */
  constructor({ player, timers, isGrowing, changed }) {
    this.#player = player;
    this.#timers = timers;
    this.#isGrowing = isGrowing;
    this.#changed = changed;
  }

  /** {key, nick} of what is heard now, or null. */
  get speaking() {
    return this.#current && { key: this.#current.key, nick: this.#current.nick };
  }

  /** The nick that would be heard if the browser let it, or null. */
  get blocked() {
    return this.#blocked;
  }

  get isBusy() {
    return this.#turns.length > 0;
  }

  /** Whether `key` has more to say. */
  isWaiting(key) {
    return this.#turns.some((turn) => turn.key === key);
  }

  /** Whether what comes of `key` is not to be heard any more. */
  isDropped(key) {
    return this.#dropped.has(key);
  }

  /** A sentence came. */
  take({ key, nick, number, url }) {
    if (this.isDropped(key)) return;
    const turn = this.#turnOf(key, nick);
    turn.sentences = [...turn.sentences, { number, url }].sort((a, b) => a.number - b.number);
    turn.at = this.#timers.now();
    this.#advance();
  }

  /** Hear a whole reply again, now; what was cut for it is heard after it. */
  replay(key, nick, sentences) {
    this.#turns = this.#turns.filter((turn) => turn.key !== key);
    this.#cutShort();
    this.#dropped.delete(key);
    this.#turns.unshift({ key, nick, sentences, at: this.#timers.now() });
    this.#advance();
  }

  /** Nothing more of the reply `key`, neither what waits nor what comes. */
  drop(key) {
    this.#dropAll([key]);
  }

  /** Silence: nothing more of what waits, nor of the replies `keys`. */
  hush(keys = []) {
    this.#dropAll([...keys, ...this.#turns.map((turn) => turn.key)]);
  }

  /** Nothing of `nick` that waits. */
  mute(nick) {
    this.#remove((turn) => turn.nick === nick);
  }

  /** Be still while the user speaks; what comes meanwhile waits. */
  hold(isHeld) {
    this.#isHeld = isHeld;
    if (isHeld) this.#player.pause();
    else if (this.#current) this.#player.resume();
    else this.#advance();
  }

  /** The user clicked: the browser lets sounds through now. */
  unblock() {
    this.#blocked = null;
    this.#advance();
  }

  /** A reply may have ended: another one's turn may have come. */
  nudge() {
    if (this.isBusy) this.#advance();
  }

  #turnOf(key, nick) {
    const found = this.#turns.find((turn) => turn.key === key);
    if (found) return found;
    const turn = { key, nick, sentences: [], at: 0 };
    this.#turns.push(turn);
    if (this.#turns.length > MAX_TURNS) this.#turns.splice(this.#current ? 1 : 0, 1);
    return turn;
  }

  #advance() {
    this.#timers.clearTimeout(this.#timer);
    if (!this.#current && !this.#isHeld) this.#next();
    this.#changed();
  }

  #next() {
    while (this.isBusy) {
      const [turn] = this.#turns;
      if (turn.sentences.length > 0) return this.#play(turn);
      const leftMs = this.#patienceMs(turn) - (this.#timers.now() - turn.at);
      if (leftMs > 0) {
        this.#timer = this.#timers.setTimeout(() => this.#advance(), leftMs);
        return;
      }
      this.#turns.shift();
    }
  }

  #patienceMs(turn) {
    return this.#isGrowing(turn.key) ? HOLD_MS : QUIET_MS;
  }

  async #play(turn) {
    const [sentence, ...rest] = turn.sentences;
    const current = { key: turn.key, nick: turn.nick, sentence };
    turn.sentences = rest;
    this.#current = current;
    const outcome = await this.#player.play(sentence.url);
    if (this.#current !== current) return;
    this.#current = null;
    turn.at = this.#timers.now();
    this.#blocked = outcome === "blocked" ? turn.nick : null;
    if (outcome !== "blocked") return this.#advance();
    turn.sentences = [sentence, ...turn.sentences];
    this.#changed();
  }

  #dropAll(keys) {
    for (const key of keys) this.#dropped.add(key);
    this.#dropped = new Set([...this.#dropped].slice(-MAX_DROPPED));
    this.#remove((turn) => keys.includes(turn.key));
  }

  #remove(isGone) {
    const current = this.#current;
    if (current && isGone(current)) {
      this.#current = null;
      this.#player.stop();
    }
    this.#turns = this.#turns.filter((turn) => !isGone(turn));
    if (!this.isBusy) this.#blocked = null;
    this.#advance();
  }

  /** What is being heard begins again later. */
  #cutShort() {
    const current = this.#current;
    if (!current) return;
    this.#current = null;
    this.#player.stop();
    const turn = this.#turns.find(({ key }) => key === current.key);
    if (turn) turn.sentences = [current.sentence, ...turn.sentences];
  }
}
