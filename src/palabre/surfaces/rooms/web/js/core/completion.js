// Tab completion: which candidates fit what stands before the caret, and cycling through them.

/**
 * @typedef {{value: string, label: string, hint: string}} Candidate
 * @typedef {{start: number, end: number, items: Candidate[]}} Completion
 */

const NOTHING = { start: 0, end: 0, items: [] };
const MAX_ITEMS = 50;

/**
 * Candidates for the word before the caret.
 * @param known {nicks: string[], commands: {name, usage, summary}[], channels: string[]}
 * @returns {Completion}
 */
export function complete(text, caret, known) {
  const before = text.slice(0, caret);
  const word = before.match(/\S*$/)[0];
  if (word === "") return NOTHING;
  const start = caret - word.length;
  const items = candidates(word, before.slice(0, start), known).slice(0, MAX_ITEMS);
  return { start, end: caret, items };
}

function candidates(word, before, { nicks, commands, channels }) {
  const atStart = before.trim() === "";
  if (atStart && word.startsWith("/")) return commandsLike(word, commands);
  if (word.startsWith("@")) return nicksLike(word.slice(1), nicks, (nick) => `@${nick} `);
  if (before.startsWith("/")) return argumentsLike(word, nicks, channels);
  return atStart ? nicksLike(word, nicks, (nick) => `@${nick} `) : [];
}

function commandsLike(word, commands) {
  return commands
    .filter((command) => fits(word, command.name))
    .map(({ name, usage, summary }) => ({
      value: `${name} `,
      label: usage || name,
      hint: summary,
    }));
}

function argumentsLike(word, nicks, channels) {
  if (!word.startsWith("#")) return nicksLike(word, nicks, (nick) => `${nick} `);
  return channels
    .filter((channel) => fits(word, channel))
    .map((channel) => ({ value: channel, label: channel, hint: "" }));
}

function nicksLike(word, nicks, written) {
  return nicks
    .filter((nick) => fits(word, nick))
    .map((nick) => ({ value: written(nick), label: nick, hint: "" }));
}

const fits = (typed, whole) => folded(whole).startsWith(folded(typed));
const folded = (value) => value.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** A step of the walk through the candidates of one completion; `index` -1 is what was typed. */
export class CompletionWalk {
  #original;
  #completion;

  constructor(original, completion, index = -1) {
    this.#original = original;
    this.#completion = completion;
    this.index = index;
  }

  get items() {
    return this.#completion.items;
  }

  /** The walk `step` candidates on (1 or -1), around the end. */
  moved(step) {
    const count = this.items.length;
    const index = this.index < 0 && step < 0 ? count - 1 : (this.index + step + count) % count;
    return new CompletionWalk(this.#original, this.#completion, index);
  }

  /** The field with candidate `index` written in it: {text, caret}. */
  chosen(index = this.index) {
    const { start, end } = this.#completion;
    const { value } = this.items[index];
    const text = this.#original.slice(0, start) + value + this.#original.slice(end).trimStart();
    return { text, caret: start + value.length };
  }
}
