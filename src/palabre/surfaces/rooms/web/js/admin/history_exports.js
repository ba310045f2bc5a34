// What was said and what was judged, to be kept elsewhere.

import { useSignal } from "../../vendor/signals.js";
import { withQuery } from "../core/api.js";
import { may } from "../core/roles.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { attempt } from "./notice.js";

const PARTS = ["channel", "since", "until"];

export function Exports({ api, session }) {
  const isTurned = useSignal(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const query = Object.fromEntries(PARTS.map((name) => [name, form.get(name).trim()]));
    isTurned.value = query.since !== "" && query.until !== "" && query.since > query.until;
    if (isTurned.value) return;
    // A page that is saved cannot ask for a login: it is asked before.
    if (await attempt(() => api.get("api/session"))) save(withQuery("api/v2/export/html", query));
  };
  return html`
    <section class="card" aria-labelledby="exports">
      <h3 id="exports">${say("admin.history.exports")}</h3>
      <form class="filters" onSubmit=${submit}>
        <label class="field whole">
          <span>${say("admin.history.channel")}</span>
          <input name="channel" defaultValue="#general" required maxlength="64" autocapitalize="none" spellcheck=${false} />
        </label>
        ${["since", "until"].map((name) => html`<label class="field short" key=${name}><span>${say(`admin.history.${name}`)}</span><input type="date" name=${name} aria-invalid=${isTurned.value} /></label>`)}
        <button class="secondary">${say("admin.history.export_html")}</button>
        ${isTurned.value && html`<p class="field-error" role="alert">${say("admin.history.span_wrong")}</p>`}
      </form>
      ${may(session, "persona:read") && html`<p><a class="flat strong" href="api/v2/export/dpo" download>${say("admin.history.export_dpo")}</a></p>`}
    </section>
  `;
}

/** As a download: what the server refuses does not take this page's place. */
function save(address) {
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: "" });
  link.click();
}
