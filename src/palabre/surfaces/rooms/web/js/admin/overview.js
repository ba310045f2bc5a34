// How everything is, in one strip and a few figures.

import { useEffect } from "../../vendor/preact-hooks.js";
import { hashOf } from "../core/admin_route.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { Loaded, useLoaded } from "./loaded.js";

const EVERY_MS = 15_000;

export default function Overview({ api, keeper }) {
  const health = useLoaded(keeper, () => api.get("api/v2/health"));
  const status = useLoaded(keeper, () => api.get("api/v2/status"));
  const perf = useLoaded(keeper, () => api.get("api/v2/perf"));
  const errors = useLoaded(keeper, () => api.get("api/v2/errors"));
  const all = [health, status, perf, errors];
  useEffect(() => {
    const look = () => !document.hidden && keeper.session.value && all.forEach(({ reload }) => reload());
    const timer = setInterval(look, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title">${say("admin.page.overview")}</h2>
        <button class="flat" onClick=${() => all.forEach(({ reload }) => reload())}>${say("admin.refresh")}</button>
      </div>
      <${Loaded} from=${health}>${(found) => html`<${Strip} ...${{ health: found, errors: errors.data.value }} />`}<//>
      <div class="cards">
        <${Card} title=${say("admin.overview.house")}><${Loaded} from=${status}>${House}<//><//>
        <${Card} title=${say("admin.overview.models")}><${Loaded} from=${health}>${Models}<//><//>
        <${Card} title=${say("admin.page.errors")}><${Loaded} from=${errors}>${Errors}<//><//>
        <${Card} title=${say("admin.overview.speed")} isWide=${true}><${Loaded} from=${perf}>${Speed}<//><//>
      </div>
    </section>
  `;
}

function Card({ title, isWide = false, children }) {
  return html`<section class=${isWide ? "card wide" : "card"}><h3>${title}</h3>${children}</section>`;
}

function Strip({ health, errors }) {
  const { ollama, database, models = {} } = health;
  const rows = [
    ["program", true, health.uptime_human],
    ["database", database?.status === "ok", database?.error ?? health.storage],
    ["models", Object.values(models).some(({ ok }) => ok) || ollama?.status === "ok", modelWords(ollama)],
  ];
  const count = errors && Object.values(errors.counts ?? {}).reduce((sum, each) => sum + each, 0);
  return html`
    <ul class="strip" aria-label=${say("admin.overview.strip")}>
      ${rows.map(([name, ok, detail]) => html`<${Lamp} key=${name} ...${{ name, ok, detail }} />`)}
      ${count !== undefined && html`<${Lamp} name="errors" ok=${count === 0} detail=${String(count)} />`}
    </ul>
  `;
}

function modelWords(ollama) {
  return ollama?.status === "ok" ? say("admin.overview.loaded", { count: ollama.models_loaded }) : (ollama?.error ?? "");
}

function Lamp({ name, ok, detail }) {
  return html`
    <li class="lamp-item" data-ok=${ok}>
      <span class="lamp" aria-hidden="true"></span>
      <strong>${say(`admin.overview.lamp.${name}`)}</strong>
      <span>${say(ok ? "admin.overview.ok" : "admin.overview.not_ok")}</span>
      <span class="detail">${detail}</span>
    </li>
  `;
}

const Facts = (rows) => html`
  <dl class="facts">
    ${rows.filter(([, value]) => value !== undefined && value !== null).map(
      ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
  </dl>
`;

const House = ({ version, storage, personas = {}, nodeEngine = {} }) =>
  Facts([
    [say("admin.overview.version"), version],
    [say("admin.overview.storage"), storage],
    [say("admin.page.personas"), say("admin.overview.active", { active: personas.active, total: personas.total })],
    [say("admin.overview.runs"), nodeEngine.runs],
  ]);

const Models = ({ models = {}, ollama }) => {
  const names = Object.entries(models);
  if (names.length === 0) return html`<p>${modelWords(ollama)}</p>`;
  return html`
    <ul class="plain-list">
      ${names.map(
        ([name, { ok, detail }]) => html`
          <li key=${name} class="lamp-item" data-ok=${ok}><span class="lamp" aria-hidden="true"></span><strong>${name}</strong> <span>${say(ok ? "admin.overview.ok" : "admin.overview.not_ok")}</span> <span class="detail">${detail}</span></li>
        `,
      )}
    </ul>
  `;
};

const number = (value) => value.toLocaleString(language.value, { maximumFractionDigits: 1 });

const Speed = (perf) => {
  const rows = Object.entries(perf.percentiles ?? {});
  return html`
    ${Facts([
      [say("admin.overview.requests"), number(perf.requests ?? 0)],
      [say("admin.overview.memory"), perf.memory?.rss_mb === undefined ? undefined : say("size.mb", { count: number(perf.memory.rss_mb) })],
    ])}
    ${
      rows.length > 0 &&
      html`
        <div class="scroll" tabindex="0" role="region" aria-label=${say("admin.overview.speed")}>
          <table>
            <thead><tr><th scope="col">${say("admin.overview.what")}</th>${["p50", "p95", "p99"].map((name) => html`<th key=${name} scope="col" class="figure">${name}, ms</th>`)}</tr></thead>
            <tbody>
              ${rows.map(([label, each]) => html`<tr key=${label}><th scope="row" class="measure">${label}</th>${[each.p50, each.p95, each.p99].map((value, index) => html`<td key=${index} class="figure">${value === undefined ? "—" : number(value)}</td>`)}</tr>`)}
            </tbody>
          </table>
        </div>
      `
    }
  `;
};

const Errors = ({ recent = [], counts = {} }) => {
  const names = Object.entries(counts);
  if (names.length === 0) return html`<p>${say("admin.errors.none")}</p>`;
  return html`
    ${Facts(names.map(([label, count]) => [label, number(count)]))}
    ${recent[0] && html`<p class="detail clamp">${recent[0].message}</p>`}
    <a href=${hashOf("errors")}>${say("admin.overview.see_errors")}</a>
  `;
};
