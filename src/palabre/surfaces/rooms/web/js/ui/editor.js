// The field and what keys do in it: completion, recall, sending.

import { createRef } from "../../vendor/preact.js";
import { signal } from "../../vendor/signals.js";
import { CompletionWalk, complete } from "../core/completion.js";
import { MAX_TEXT } from "../core/frames.js";
import { InputHistory } from "../core/history.js";

export class Editor {
  field = createRef();
  text = signal("");
  /** The walk through what the word at the caret may become; null when there is none. */
  walk = signal(null);
  #client;
  #commands;
  #history = new InputHistory();
  #dismissed = null;

  /**
   * @param commands signal of the server's slash commands
   * @param scrollLog moves the log by a number of pages
   */
  constructor({ client, commands, scrollLog }) {
    this.#client = client;
    this.#commands = commands;
    this.scrollLog = scrollLog;
  }

  get canSend() {
    const { length } = this.text.value;
    return this.#client.isConnected.value && this.text.value.trim() !== "" && length <= MAX_TEXT;
  }

  submit(event) {
    event.preventDefault();
    const line = this.text.value;
    if (!this.canSend || !this.#client.say(line)) return;
    this.#history.add(line);
    this.replace("");
  }

  /** Write `text` into the field, with the caret at its end or at `caret`. */
  replace(text, caret = text.length) {
    this.walk.value = null;
    this.#write(text, caret);
  }

  mention(nick) {
    const { value, selectionStart } = this.field.current;
    const before = value.slice(0, selectionStart);
    const word = `${before === "" || /\s$/.test(before) ? "" : " "}@${nick} `;
    this.replace(
      before + word + value.slice(selectionStart).trimStart(),
      before.length + word.length,
    );
  }

  typed() {
    this.text.value = this.field.current.value;
    const completion = this.#completion();
    const isMarked = /(^|\s)[@/#]\S*$/.test(
      this.text.value.slice(0, this.field.current.selectionStart),
    );
    this.walk.value = isMarked ? walkOf(this.text.value, completion) : null;
  }

  pressed(event) {
    const react = KEYS[event.key];
    if (react && !event.isComposing && react(this, event) !== false) event.preventDefault();
  }

  /** Tab: the next candidate. False, and the focus moves on, when there is none to go to. */
  tab(step) {
    const walk = this.walk.value ?? this.#newWalk(step);
    if (walk === null) return false;
    const moved = walk.moved(step);
    this.walk.value = walk.items.length > 1 ? moved : null;
    const { text, caret } = moved.chosen();
    this.#write(text, caret);
    return true;
  }

  /** Shift+Tab begins nothing, nor does Tab after Escape: both lead out of the field. */
  #newWalk(step) {
    if (step < 0 || this.#dismissed === this.text.value) return null;
    return walkOf(this.text.value, this.#completion());
  }

  /** Escape: the list goes, or else whoever answers or is heard stops. */
  dismiss() {
    if (this.walk.value === null) this.#client.stop();
    this.#dismissed = this.text.value;
    this.walk.value = null;
  }

  choose(index) {
    const { text, caret } = this.walk.value.chosen(index);
    this.replace(text, caret);
  }

  older() {
    return this.#isOnFirstLine() && this.#recall(this.#history.older(this.text.value));
  }

  newer() {
    return this.#isOnLastLine() && this.#recall(this.#history.newer());
  }

  #recall(line) {
    if (line === null) return false;
    this.replace(line);
    return true;
  }

  #isOnFirstLine() {
    return !this.field.current.value.slice(0, this.field.current.selectionStart).includes("\n");
  }

  #isOnLastLine() {
    return !this.field.current.value.slice(this.field.current.selectionEnd).includes("\n");
  }

  #completion() {
    const { users, channels, nick, personas } = this.#client.room.value;
    const others = users.filter((user) => user !== nick);
    const nicks = [...new Set([...others, ...personas.keys()])];
    const known = { nicks, channels, commands: this.#commands.value };
    return complete(this.text.value, this.field.current.selectionStart, known);
  }

  #write(text, caret) {
    const field = this.field.current;
    this.text.value = text;
    field.value = text;
    field.focus();
    field.setSelectionRange(caret, caret);
    this.settle();
  }

  /** The field is as high as its text; the style sheet sets the most. */
  settle() {
    const field = this.field.current;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  }
}

const walkOf = (text, completion) =>
  completion.items.length ? new CompletionWalk(text, completion) : null;

/** What a key does; false leaves it to the browser. */
const KEYS = {
  Tab: (editor, event) => !event.ctrlKey && !event.altKey && editor.tab(event.shiftKey ? -1 : 1),
  Enter: (editor, event) => !event.shiftKey && editor.submit(event),
  Escape: (editor) => editor.dismiss(),
  ArrowUp: (editor) => editor.older(),
  ArrowDown: (editor) => editor.newer(),
  PageUp: (editor) => editor.scrollLog(-1),
  PageDown: (editor) => editor.scrollLog(1),
};
