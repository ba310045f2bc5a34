// How much is said, and by whom: charts, and the same as tables.

import { dailySeries } from "../core/daily.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { Chart } from "./chart.js";
import { Loaded, useLoaded } from "./loaded.js";
import { day } from "./when.js";

export default function Analytics({ api, keeper }) {
  const analytics = useLoaded(keeper, () => api.get("api/v2/analytics"));
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title">${say("admin.page.analytics")}</h2>
        <button class="flat" onClick=${analytics.reload}>${say("admin.refresh")}</button>
      </div>
      <${Loaded} from=${analytics}>${(found) => html`<${Figures} ...${found} />`}<//>
    </section>
  `;
}

const number = (value) => (value ?? 0).toLocaleString(language.value);

function Figures({ messagesPerDay = [], topPersonas = [], ...totals }) {
  const names = ["totalMessages", "totalDays", "userMessages", "systemMessages", "uploadsCount"];
  return html`
    <dl class="totals">
      ${names.map((name) => html`<div key=${name}><dt>${say(`admin.analytics.${name}`)}</dt><dd>${number(totals[name])}</dd></div>`)}
    </dl>
    <section class="card">
      <h3 id="per-day">${say("admin.analytics.per_day")}</h3>
      <${Chart} series=${dailySeries(messagesPerDay)} label=${say("admin.analytics.messages")} />
      <details class="more">
        <summary>${say("admin.analytics.as_table")}</summary>
        <${Table} name="per-day" head=${say("admin.analytics.day")} rows=${messagesPerDay.map(({ date, count }) => [day(date), count])} />
      </details>
    </section>
    <section class="card">
      <h3 id="top-personas">${say("admin.analytics.top")}</h3>
      <${Table} name="top-personas" head=${say("admin.analytics.persona")} rows=${topPersonas.map(({ nick, count }) => [nick, count])} hasBars=${true} />
    </section>
  `;
}

function Table({ name, head, rows, hasBars = false }) {
  if (rows.length === 0) return html`<p class="empty">${say("admin.analytics.none")}</p>`;
  const most = Math.max(...rows.map(([, count]) => count), 1);
  return html`
    <table aria-labelledby=${name} class=${hasBars ? "bars" : ""}>
      <thead><tr><th scope="col">${head}</th><th scope="col" class="figure">${say("admin.analytics.messages")}</th></tr></thead>
      <tbody>
        ${rows.map(
          ([label, count]) => html`
            <tr key=${label}>
              <th scope="row">${label}</th>
              <td class="figure">
                ${hasBars && html`<span class="bar" aria-hidden="true" style=${{ "--part": count / most }}></span>`}
                <span class="bar-count">${number(count)}</span>
              </td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}
