// What was said: by day, and by words that are searched for.

import { hashOf } from "../core/admin_route.js";
import { withQuery } from "../core/api.js";
import { highlighted } from "../core/highlight.js";
import { placeOf } from "../core/paging.js";
import { may } from "../core/roles.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { Exports } from "./history_exports.js";
import { Sweep } from "./history_sweep.js";
import { Loaded, useLoaded } from "./loaded.js";
import { Pager } from "./pager.js";
import { clock, day, when } from "./when.js";

const PAGE = 100;

export default function History(props) {
  const { id, query } = props.route.value;
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title">${id ? day(id) : say("admin.page.history")}</h2>
        ${(id || query.q) && html`<a class="flat" href=${hashOf("history")}>${say("admin.history.all_days")}</a>`}
      </div>
      <${SearchForm} words=${query.q ?? ""} />
      ${
        query.q
          ? html`<${Found} ...${props} words=${query.q} before=${query.before} />`
          : id
            ? html`<${Day} ...${props} date=${id} offset=${placeOf(query.from)} />`
            : html`<${Days} ...${props} />`
      }
    </section>
  `;
}

function SearchForm({ words }) {
  const submit = (event) => {
    event.preventDefault();
    location.hash = hashOf("history", "", { q: new FormData(event.currentTarget).get("q").trim() });
  };
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      <label class="field">
        <span>${say("admin.history.search")}</span>
        <input type="search" name="q" key=${words} defaultValue=${words} minlength="2" maxlength="200" required />
      </label>
      <button class="secondary">${say("admin.history.go")}</button>
    </form>
  `;
}

function Days({ api, keeper, session }) {
  const days = useLoaded(keeper, () => api.get("api/v2/chat/history"));
  return html`
    <${Loaded} from=${days}>${({ files = [] }) =>
      files.length === 0
        ? html`<p class="empty">${say("admin.history.none")}</p>`
        : html`
            <ul class="link-list">
              ${files.map(
                ({ date, lines }) => html`
                  <li key=${date}>
                    <a href=${hashOf("history", date)}><span>${day(date)}</span><span class="detail">${say("admin.history.lines", { count: lines.toLocaleString(language.value) })}</span></a>
                  </li>
                `,
              )}
            </ul>
          `}<//>
    <div class="cards">
      <${Exports} ...${{ api, session }} />
      ${may(session, "node_engine:operate") && html`<${Sweep} ...${{ api, done: days.reload }} />`}
    </div>
  `;
}

function Day({ api, keeper, date, offset }) {
  const path = withQuery(`api/v2/chat/history/${encodeURIComponent(date)}`, { limit: PAGE, offset });
  const messages = useLoaded(keeper, () => api.get(path), [path]);
  return html`
    <${Loaded} from=${messages}>${(found) => html`
      ${found.messages.length === 0 && html`<p class="empty">${say("admin.history.nothing")}</p>`}
      <ol class="said-list">
        ${found.messages.map((message, index) => html`<li key=${offset + index} class="said-line"><${Message} ...${message} /></li>`)}
      </ol>
      <${Pager} ...${{ offset, limit: PAGE, total: found.total, at: (from) => hashOf("history", date, { from: String(from) }) }} />
    `}<//>
  `;
}

function Message({ ts, nick, channel, type, text }) {
  return html`
    <time class="time" datetime=${ts}>${clock(ts)}</time>
    <span class="said-by">${type === "message" ? nick : "***"}</span>
    <span class="said-words">${text}</span>
    ${channel && html`<span class="detail">${channel}</span>`}
  `;
}

function Found({ api, keeper, words, before }) {
  const path = withQuery("api/v2/chat/search", { q: words, limit: PAGE, before });
  const found = useLoaded(keeper, () => api.get(path), [path]);
  return html`
    <${Loaded} from=${found}>${({ results = [], next = null, complete = true }) => html`
      <p class="detail" role="status">
        ${say(results.length === 1 ? "admin.history.hit" : "admin.history.hits", { count: results.length.toLocaleString(language.value) })}
        ${!complete && ` ${say("admin.history.incomplete")}`}
      </p>
      <ol class="said-list">
        ${results.map((hit, index) => html`<li key=${hit.id ?? index} class="said-line"><${Hit} ...${{ hit, words }} /></li>`)}
      </ol>
      <nav class="pager" aria-label=${say("admin.pager")}>
        ${before && html`<a class="flat" href=${hashOf("history", "", { q: words })}>${say("admin.history.newest")}</a>`}
        ${next !== null && html`<a class="flat strong" href=${hashOf("history", "", { q: words, before: String(next) })}>${say("admin.older")}</a>`}
      </nav>
    `}<//>
  `;
}

function Hit({ hit, words }) {
  return html`
    <a class="time" href=${hashOf("history", hit.date)}><time datetime=${hit.ts}>${when(hit.ts)}</time></a>
    <span class="said-by">${hit.nick}</span>
    <span class="said-words">
      ${highlighted(hit.text, words).map(({ text, hit: isHit }, index) => (isHit ? html`<mark key=${index}>${text}</mark>` : text))}
    </span>
  `;
}
