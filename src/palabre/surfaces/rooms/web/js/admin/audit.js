// The book of changes: who changed what, what it was and became, and whether the book is whole.

import { useSignal } from "../../vendor/signals.js";
import { hashOf } from "../core/admin_route.js";
import { withQuery } from "../core/api.js";
import { changedFields } from "../core/changes.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Loaded, useLoaded } from "./loaded.js";
import { attempt } from "./notice.js";
import { when } from "./when.js";

const FILTERS = ["actor", "action", "target"];

export default function Audit({ api, keeper, route }) {
  const { query } = route.value;
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? ""]));
  const ask = () => api.get(withQuery("api/v2/admin/audit", { ...filter, before: query.before }));
  const page = useLoaded(keeper, ask, [JSON.stringify(query)]);
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    location.hash = hashOf("audit", "", Object.fromEntries(FILTERS.map((name) => [name, form.get(name).trim()])));
  };
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head"><h2 id="page-title">${say("admin.page.audit")}</h2><${Verify} api=${api} /></div>
      <form class="filters" role="search" onSubmit=${submit}>
        ${FILTERS.map(
          (name) => html`
            <label class="field" key=${name}>
              <span>${say(`admin.audit.${name}`)}</span>
              <input name=${name} maxlength="500" key=${filter[name]} defaultValue=${filter[name]} autocapitalize="none" spellcheck=${false} />
            </label>
          `,
        )}
        <button class="secondary">${say("admin.audit.filter")}</button>
      </form>
      <${Loaded} from=${page}>${({ entries = [], next = null }) => html`
        <${Entries} entries=${entries} />
        <nav class="pager" aria-label=${say("admin.pager")}>
          ${query.before && html`<a class="flat" href=${hashOf("audit", "", filter)}>${say("admin.audit.newest")}</a>`}
          ${next !== null && html`<a class="flat strong" href=${hashOf("audit", "", { ...filter, before: next })}>${say("admin.older")}</a>`}
        </nav>
      `}<//>
    </section>
  `;
}

function Verify({ api }) {
  const found = useSignal(null);
  const isBusy = useSignal(false);
  const verify = async () => {
    isBusy.value = true;
    await attempt(async () => (found.value = await api.get("api/v2/admin/audit/verify")));
    isBusy.value = false;
  };
  const verdict = found.value;
  return html`
    <p class="verdict-line" role="status" data-ok=${verdict?.whole}>
      ${
        verdict &&
        (verdict.whole
          ? say("admin.audit.whole", { count: verdict.entries })
          : say("admin.audit.broken", { number: verdict.brokenAt ?? "?" }))
      }
    </p>
    <button class="secondary" disabled=${isBusy.value} onClick=${verify}>${say("admin.audit.verify")}</button>
  `;
}

function Entries({ entries }) {
  if (entries.length === 0) return html`<p class="empty">${say("admin.audit.none")}</p>`;
  return html`
    <ul class="entries">
      ${entries.map((entry) => html`<li key=${entry.number} class="entry-box"><${Entry} ...${entry} /></li>`)}
    </ul>
  `;
}

function Entry({ number, at, actor, role, address, action, target, before, after }) {
  const fields = changedFields(before, after);
  return html`
    <p class="entry-head">
      <span class="tag">${number}</span> <time datetime=${at}>${when(at)}</time>
      <strong>${actor}</strong> <span class="detail">${[role, address].filter(Boolean).join(" · ")}</span>
    </p>
    <p class="entry-text"><code>${action}</code> ${target}</p>
    ${
      fields.length > 0 &&
      html`
        <details class="more">
          <summary>${say("admin.audit.changes", { count: fields.length })}</summary>
          <dl class="changes">
            ${fields.map(
              ({ name, was, is }) => html`
                <div key=${name}>
                  <dt>${name}</dt>
                  <dd>
                    ${was !== null && html`<del><span class="only-heard">${say("admin.diff.gone")} </span>${was}</del>`}
                    ${is !== null && html`<ins><span class="only-heard">${say("admin.diff.new")} </span>${is}</ins>`}
                  </dd>
                </div>
              `,
            )}
          </dl>
        </details>
      `
    }
  `;
}
