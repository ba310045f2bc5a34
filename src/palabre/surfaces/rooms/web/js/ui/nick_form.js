// Where a nick is chosen: on the first visit, or again from the prompt.

import { useEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";

const NICK = /^[a-zA-Z0-9_\-À-ÿ]{2,24}$/;

/** `wanted`: the user opened it, so the focus may go there; on a first visit it may not. */
export function NickForm({ client, wanted, leave }) {
  const field = useRef(null);
  const nick = useSignal("");
  const wrong = useSignal(false);
  useEffect(() => {
    if (wanted) field.current.focus();
    return leave;
  }, []);
  const take = () => {
    wrong.value = !NICK.test(nick.value.trim());
    if (!wrong.value) client.rename(nick.value.trim());
  };
  const pressed = (event) => {
    if (event.key === "Escape") client.asksNick.value = false;
    if (event.key !== "Enter") return;
    event.preventDefault();
    take();
  };
  return html`
    <div class="nick-form" role="group" aria-label=${say("nick.label")}>
      <label for="nick-field">${say("nick.label")}</label>
      <input
        id="nick-field"
        ref=${field}
        maxlength="24"
        autocomplete="nickname"
        autocapitalize="none"
        spellcheck=${false}
        aria-invalid=${wrong.value}
        aria-describedby=${wrong.value ? "nick-error" : null}
        value=${nick}
        onInput=${(event) => ((nick.value = event.target.value), (wrong.value = false))}
        onKeyDown=${pressed}
      />
      <button type="button" class="flat strong" onClick=${take}>${say("nick.take")}</button>
      <button type="button" class="flat" onClick=${() => (client.asksNick.value = false)}>${say("nick.later")}</button>
      ${wrong.value && html`<p class="field-error" id="nick-error" role="alert">${say("nick.invalid")}</p>`}
    </div>
  `;
}
