// Where the user writes: completion, recall, the limit, and the way to stop an answer.

import { useEffect, useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { CompletionWalk, complete } from "../core/completion.js";
import { MAX_TEXT } from "../core/frames.js";
import { InputHistory } from "../core/history.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Candidates } from "./candidates.js";
import { NickForm } from "./nick_form.js";

const COUNTER_FROM = 512;

export function Composer({ client, commands, handle }) {
  const field = useRef(null);
  const text = useSignal("");
  const walk = useSignal(null);
  const inputs = useRef(new InputHistory());
  const dismissed = useRef(null);
  const editor = new Editor({
    field,
    text,
    walk,
    dismissed,
    inputs: inputs.current,
    client,
    commands,
  });
  handle.current = editor;
  useLayoutEffect(() => editor.settle(), [text.value]);
  useEffect(() => {
    if (!client.asksNick.value && matchMedia("(hover: hover)").matches) field.current.focus();
  }, []);
  const [channel, nick] = [client.channel.value, client.nick.value];
  return html`
    <form class="composer" onSubmit=${(event) => editor.submit(event)}>
      ${client.asksNick.value && html`<${NickForm} client=${client} leave=${() => field.current?.focus()} />`}
      <${Candidates} ...${{ walk: walk.value, choose: (index) => editor.choose(index) }} />
      <div class="entry">
        <button
          type="button"
          class="prompt"
          aria-label=${say("nick.change", { nick: nick ?? "…" })}
          onClick=${() => (client.asksNick.value = !client.asksNick.value)}
        >
          <span class="prompt-nick">${nick ?? "…"}</span><span class="prompt-sign" aria-hidden="true">›</span>
        </button>
        <textarea
          ref=${field}
          rows="1"
          name="text"
          aria-label=${say("composer.label", { channel })}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls="candidates"
          aria-activedescendant=${walk.value?.index >= 0 ? `candidate-${walk.value.index}` : null}
          aria-describedby="composer-note"
          placeholder=${say(matchMedia("(max-width: 60rem)").matches ? "composer.placeholder.short" : "composer.placeholder")}
          autocomplete="off"
          enterkeyhint="send"
          value=${text}
          onInput=${() => editor.typed()}
          onKeyDown=${(event) => editor.pressed(event)}
          onBlur=${() => (walk.value = null)}
        ></textarea>
        ${
          client.isAnswered.value &&
          html`<button type="button" class="stop" onClick=${() => client.stop()}>${say("composer.stop")}</button>`
        }
        <button class="send" aria-label=${say("composer.send")} disabled=${!editor.canSend}>
          <span aria-hidden="true">⏎</span>
        </button>
      </div>
      <${Note} ...${{ client, length: text.value.length }} />
    </form>
  `;
}

function Note({ client, length }) {
  const left = MAX_TEXT - length;
  const offline = !client.isConnected.value && length > 0;
  const note = offline
    ? say("composer.offline")
    : left < 0
      ? say("composer.over", { over: -left })
      : left <= COUNTER_FROM && say("composer.left", { left });
  return html`<p class="note" id="composer-note" role="status" data-wrong=${left < 0 || offline}>${note}</p>`;
}

/** The field and what keys do in it. */
class Editor {
  constructor(parts) {
    Object.assign(this, parts);
  }

  get canSend() {
    const { length } = this.text.value;
    return this.client.isConnected.value && this.text.value.trim() !== "" && length <= MAX_TEXT;
  }

  submit(event) {
    event.preventDefault();
    const line = this.text.value;
    if (!this.canSend || !this.client.say(line)) return;
    this.inputs.add(line);
    this.replace("");
  }

  /** Write `text` into the field, with the caret at its end or at `caret`. */
  replace(text, caret = text.length) {
    this.walk.value = null;
    this.write(text, caret);
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
    const completion = this.completion();
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
    const walk = this.walk.value ?? this.newWalk(step);
    if (walk === null) return false;
    const moved = walk.moved(step);
    this.walk.value = walk.items.length > 1 ? moved : null;
    const { text, caret } = moved.chosen();
    this.write(text, caret);
    return true;
  }

  /** Shift+Tab begins nothing, nor does Tab after Escape: both lead out of the field. */
  newWalk(step) {
    if (step < 0 || this.dismissed.current === this.text.value) return null;
    return walkOf(this.text.value, this.completion());
  }

  dismiss() {
    this.dismissed.current = this.text.value;
    this.walk.value = null;
  }

  choose(index) {
    const { text, caret } = this.walk.value.chosen(index);
    this.replace(text, caret);
  }

  recall(line) {
    if (line === null) return false;
    this.replace(line);
    return true;
  }

  isOnFirstLine() {
    return !this.field.current.value.slice(0, this.field.current.selectionStart).includes("\n");
  }

  isOnLastLine() {
    return !this.field.current.value.slice(this.field.current.selectionEnd).includes("\n");
  }

  completion() {
    const { users, channels, nick, personas } = this.client.room.value;
    const others = users.filter((user) => user !== nick);
    const nicks = [...new Set([...others, ...personas.keys()])];
    const known = { nicks, channels, commands: this.commands.value };
    return complete(this.text.value, this.field.current.selectionStart, known);
  }

  write(text, caret) {
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

const scrollLog = (pages) => {
  const log = document.querySelector(".log");
  log.scrollBy({ top: pages * log.clientHeight * 0.9 });
};

/** What a key does; false leaves it to the browser. */
const KEYS = {
  Tab: (editor, event) => !event.ctrlKey && !event.altKey && editor.tab(event.shiftKey ? -1 : 1),
  Enter: (editor, event) => !event.shiftKey && editor.submit(event),
  Escape: (editor) => editor.dismiss(),
  ArrowUp: (editor) =>
    editor.isOnFirstLine() && editor.recall(editor.inputs.older(editor.text.value)),
  ArrowDown: (editor) => editor.isOnLastLine() && editor.recall(editor.inputs.newer()),
  PageUp: () => scrollLog(-1),
  PageDown: () => scrollLog(1),
};
