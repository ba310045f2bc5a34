// Asks before what cannot be taken back.

import { useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { signal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";

const question = signal(null);

/** @returns Promise<boolean>: whether the user wants it */
export function confirmed(words, yes) {
  return new Promise((resolve) => (question.value = { words, yes, resolve }));
}

export function Confirmation() {
  return question.value && html`<${Asked} key=${question.value.words} ...${question.value} />`;
}

function Asked({ words, yes, resolve }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const close = () => {
    const answer = dialog.current.returnValue === "yes";
    question.value = null;
    resolve(answer);
  };
  return html`
    <dialog class="box" ref=${dialog} aria-describedby="question" onClose=${close}>
      <form method="dialog">
        <p id="question">${words}</p>
        <p class="row-actions">
          <button class="secondary" value="no" autofocus>${say("admin.cancel")}</button>
          <button class="primary danger" value="yes">${yes}</button>
        </p>
      </form>
    </dialog>
  `;
}
