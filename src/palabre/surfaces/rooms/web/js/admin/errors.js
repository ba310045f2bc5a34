// What went wrong lately, the newest first.

import { html } from "../html.js";
import { say } from "../texts.js";
import { Loaded, useLoaded } from "./loaded.js";
import { when } from "./when.js";

export default function Errors({ api, keeper }) {
  const errors = useLoaded(keeper, () => api.get("api/v2/errors"));
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title">${say("admin.page.errors")}</h2>
        <button class="flat" onClick=${errors.reload}>${say("admin.refresh")}</button>
      </div>
      <${Loaded} from=${errors}>${List}<//>
    </section>
  `;
}

function List({ recent = [], counts = {} }) {
  if (recent.length === 0) return html`<p class="empty">${say("admin.errors.none")}</p>`;
  return html`
    <ul class="tags" aria-label=${say("admin.errors.counts")}>
      ${Object.entries(counts).map(([label, count]) => html`<li key=${label} class="tag">${label} <strong>${count}</strong></li>`)}
    </ul>
    <ul class="entries">
      ${recent.map((error, index) => html`<li key=${index} class="entry-box"><${Entry} ...${error} /></li>`)}
    </ul>
  `;
}

function Entry({ timestamp, label, message, stack, context = {} }) {
  const facts = Object.entries(context ?? {});
  return html`
    <p class="entry-head"><time datetime=${timestamp}>${when(timestamp)}</time> <span class="tag">${label}</span></p>
    <p class="entry-text">${message}</p>
    ${
      (stack || facts.length > 0) &&
      html`
        <details class="more">
          <summary>${say("admin.errors.more")}</summary>
          ${stack && html`<pre tabindex="0">${stack}</pre>`}
          ${facts.length > 0 && html`<p class="detail">${facts.map(([name, value]) => `${name}: ${value}`).join(" · ")}</p>`}
        </details>
      `
    }
  `;
}
