// Who speaks: the list of all personas, and the desk of one.

import { useSignal } from "../../vendor/signals.js";
import { hashOf } from "../core/admin_route.js";
import { nickStyle } from "../core/color.js";
import { matching } from "../core/matching.js";
import { may } from "../core/roles.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { CardImport } from "./cards.js";
import { Loaded, useLoaded } from "./loaded.js";
import { attempt, tell } from "./notice.js";
import { NewPersona } from "./persona_form.js";
import { PersonaDesk } from "./persona_desk.js";

export default function Personas(props) {
  const { id } = props.route.value;
  return id ? html`<${PersonaDesk} key=${id} ...${props} id=${id} />` : html`<${Cast} ...${props} />`;
}

function Cast({ api, keeper, session }) {
  const personas = useLoaded(keeper, () => api.get("api/personas"));
  const words = useSignal("");
  const mayWrite = may(session, "persona:write");
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title">${say("admin.page.personas")}</h2>
        ${mayWrite && html`<button class="flat strong" onClick=${() => document.querySelector(".cards input").focus()}>${say("admin.persona.new")}</button>`}
        <label class="field find">
          <span class="only-heard">${say("admin.persona.filter")}</span>
          <input type="search" placeholder=${say("admin.persona.filter")} value=${words.value} onInput=${(event) => (words.value = event.target.value)} />
        </label>
      </div>
      <${Loaded} from=${personas}>${(list) => html`<${Rows} ...${{ api, mayWrite, list: matching(list, words.value), done: personas.reload }} />`}<//>
      ${
        mayWrite &&
        html`
          <div class="cards">
            <${NewPersona} api=${api} />
            <${CardImport} ...${{ api, done: personas.reload }} />
          </div>
        `
      }
    </section>
  `;
}

function Rows({ list, ...part }) {
  if (list.length === 0) return html`<p class="empty">${say("admin.persona.none_found")}</p>`;
  return html`
    <ul class="cast">
      ${list.map((persona) => html`<li key=${persona.id} class="cast-row"><${Row} ...${{ persona, ...part }} /></li>`)}
    </ul>
  `;
}

function Row({ api, persona, mayWrite, done }) {
  const { id, name, model, summary, color, origin } = persona;
  return html`
    <a class="cast-link" href=${hashOf("personas", id)}>
      <span><span class="cast-name" style=${nickStyle(color)}>${name}</span>${origin === "orphan" && html` <span class="tag">${say("admin.persona.orphan")}</span>`}</span>
      <span class="detail">${model}</span>
      <span class="cast-summary clamp">${summary}</span>
    </a>
    <${Toggle} ...${{ api, persona, mayWrite, done }} />
  `;
}

/** Whether the persona speaks; a role that may not change it only reads it. */
export function Toggle({ api, persona, mayWrite, done }) {
  const isOn = persona.enabled !== false;
  const words = say(isOn ? "admin.persona.speaks" : "admin.persona.silent");
  if (!mayWrite) return html`<span class="tag">${words}</span>`;
  return html`
    <label class="toggle">
      <input type="checkbox" role="switch" checked=${isOn} aria-label=${say("admin.persona.toggle", persona)} onChange=${(event) => turn(api, persona, event.target.checked, done)} />
      <span aria-hidden="true">${words}</span>
    </label>
  `;
}

async function turn(api, persona, enabled, done) {
  const set = (value) => api.send("POST", `api/admin/personas/${encodeURIComponent(persona.id)}/toggle`, { enabled: value });
  await attempt(async () => {
    await set(enabled);
    tell(say(enabled ? "admin.persona.turned_on" : "admin.persona.turned_off", persona), async () => {
      await set(!enabled);
      tell(say("admin.undone"));
      done();
    });
  });
  done();
}
