// The small list of what the word before the caret may become.

import { useEffect, useRef } from "../../vendor/preact-hooks.js";
import { html } from "../html.js";
import { say } from "../texts.js";

export function Candidates({ walk, choose }) {
  const list = useRef(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [walk]);
  if (walk === null) return html`<div id="candidates" hidden></div>`;
  return html`
    <ul class="candidates" id="candidates" role="listbox" aria-label=${say("composer.candidates")} ref=${list}>
      ${walk.items.map(
        (item, index) => html`
          <li
            key=${item.value}
            class="candidate"
            id=${`candidate-${index}`}
            role="option"
            aria-selected=${index === walk.index}
            onPointerDown=${(event) => event.preventDefault()}
            onClick=${() => choose(index)}
          >
            <span class="candidate-label">${item.label}</span>
            <span class="candidate-hint">${item.hint}</span>
          </li>
        `,
      )}
    </ul>
  `;
}
