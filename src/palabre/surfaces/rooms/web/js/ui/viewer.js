// A picture as large as the window allows; arrow keys go to the others.

import { useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { html } from "../html.js";
import { say } from "../texts.js";

/** @param shown signal of {items: [{url, caption, filename}], index}, or null */
export function Viewer({ shown }) {
  if (shown.value === null) return null;
  return html`<${Opened} shown=${shown} />`;
}

function Opened({ shown }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const { items, index } = shown.value;
  const { url, caption, filename } = items[index];
  const go = (step) =>
    (shown.value = { items, index: (index + step + items.length) % items.length });
  const pressed = (event) => STEPS[event.key] && (event.preventDefault(), go(STEPS[event.key]));
  const place = say("viewer.place", { number: index + 1, count: items.length });
  return html`
    <dialog
      class="viewer"
      ref=${dialog}
      aria-label=${say("viewer.title")}
      onClose=${() => (shown.value = null)}
      onKeyDown=${pressed}
      onClick=${(event) => event.target === dialog.current && dialog.current.close()}
    >
      <img src=${url} alt=${caption} />
      <div class="viewer-bar">
        <p class="viewer-caption" role="status">
          ${items.length > 1 && html`<span class="viewer-place">${place}</span>`} ${caption}
        </p>
        ${
          items.length > 1 &&
          html`
            <button class="flat" aria-label=${say("viewer.previous")} title=${say("viewer.previous")} onClick=${() => go(-1)}>←</button>
            <button class="flat" aria-label=${say("viewer.next")} title=${say("viewer.next")} onClick=${() => go(1)}>→</button>
          `
        }
        <a class="flat" href=${url} download=${filename}>${say("gallery.download")}</a>
        <button class="flat strong" onClick=${() => dialog.current.close()}>${say("viewer.close")}</button>
      </div>
    </dialog>
  `;
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
