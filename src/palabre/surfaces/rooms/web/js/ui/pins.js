// What was pinned in this browser, to be read again.

import { useRef } from "../../vendor/preact-hooks.js";
import { nickStyle } from "../core/color.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { Pin } from "./icons.js";
import { Markdown } from "./markdown_view.js";

export function Pins({ verdicts, personas, nick }) {
  const panel = useRef(null);
  const { pins } = verdicts.all.value;
  const known = { personas, nick };
  const words = say("pins.open", { count: pins.length });
  return html`
    <button type="button" class="flat short-switch pins-switch" popovertarget="pins" aria-label=${words} title=${words} hidden=${pins.length === 0}>
      <${Pin} /><span class="switch-word">${words}</span><span class="switch-count">${pins.length}</span>
    </button>
    <section class="pins" id="pins" popover="auto" ref=${panel} aria-labelledby="pins-title">
      <header class="pins-head">
        <h2 id="pins-title">${say("pins.title")}</h2>
        <button type="button" class="flat" onClick=${() => panel.current.hidePopover()}>${say("pins.close")}</button>
      </header>
      ${pins.length === 0 && html`<p class="pins-empty">${say("pins.none")}</p>`}
      <ul>
        ${pins.map((pin) => html`<li key=${pin.id} class="pinned"><${Pinned} ...${{ pin, known, verdicts }} /></li>`)}
      </ul>
    </section>
  `;
}

function Pinned({ pin, known, verdicts }) {
  const moment =
    pin.at !== null &&
    new Date(pin.at).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });
  return html`
    <p class="pinned-head">
      <strong class="pinned-nick" style=${nickStyle(pin.color)}>${pin.nick}</strong>
      <span>${[pin.channel, moment].filter(Boolean).join(" · ")}</span>
      <button type="button" class="flat" aria-label=${say("pins.remove_of", pin)} onClick=${() => verdicts.unpin(pin)}>${say("pins.remove")}</button>
    </p>
    <div class="said"><${Markdown} text=${pin.text} known=${known} /></div>
  `;
}
