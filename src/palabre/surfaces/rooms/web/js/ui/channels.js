// The channels of this session, and the way into another one.

import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";

const CHANNEL = /^#[a-zA-Z0-9_-]{1,29}$/;

export function Channels({ client, route }) {
  const [channels, channel] = [client.channels.value, client.channel.value];
  return html`
    <nav class="channels" aria-label=${say("channels.title")}>
      <h2 class="side-title">${say("channels.title")}</h2>
      <ul class="tabs">
        ${channels.map(
          (name, index) => html`
            <li key=${name}>
              <button
                class="tab"
                aria-current=${name === channel ? "true" : null}
                onClick=${() => (route.leave(), client.join(name))}
              >
                <span class="tab-number" aria-hidden="true">${index + 1}:</span>${name}
              </button>
            </li>
          `,
        )}
      </ul>
      <${JoinForm} client=${client} />
    </nav>
  `;
}

function JoinForm({ client }) {
  const wrong = useSignal(false);
  const join = (event) => {
    event.preventDefault();
    const field = event.target.elements.channel;
    const name = field.value.trim().replace(/^#?/, "#");
    wrong.value = !CHANNEL.test(name);
    if (wrong.value || client.join(name) === false) return field.focus();
    field.value = "";
  };
  return html`
    <form class="join-form" onSubmit=${join}>
      <input
        name="channel"
        aria-label=${say("channels.name")}
        aria-invalid=${wrong.value}
        aria-describedby=${wrong.value ? "join-error" : null}
        placeholder="#…"
        maxlength="30"
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        onInput=${() => (wrong.value = false)}
      />
      <button class="flat" aria-label=${say("channels.join")}>${say("channels.go")}</button>
      ${wrong.value && html`<p class="field-error" id="join-error" role="alert">${say("channels.invalid")}</p>`}
    </form>
  `;
}
