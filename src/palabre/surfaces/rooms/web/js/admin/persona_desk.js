// The desk of one persona: what it is, where it comes from, what is said of it, what is proposed.

import { hashOf } from "../core/admin_route.js";
import { nickStyle } from "../core/color.js";
import { may } from "../core/roles.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { CardExport } from "./cards.js";
import { confirmed } from "./confirmation.js";
import { draftAt } from "./drafts.js";
import { Feedback } from "./feedback.js";
import { Loaded, useLoaded } from "./loaded.js";
import { attempt, tell } from "./notice.js";
import { PersonaForm } from "./persona_form.js";
import { Source } from "./persona_source.js";
import { Toggle } from "./personas.js";
import { Proposals } from "./proposals.js";
import { VoiceSample } from "./voice_sample.js";

export function PersonaDesk({ api, keeper, session, id }) {
  const path = encodeURIComponent(id);
  const admin = `api/admin/personas/${path}`;
  const persona = useLoaded(keeper, () => api.get(`api/personas/${path}`));
  const feedback = useLoaded(keeper, () => api.get(`${admin}/feedback`));
  const mayWrite = may(session, "persona:write");
  const changed = () => {
    persona.reload();
    feedback.reload();
  };
  const look = async () => (persona.data.value = await api.get(`api/personas/${path}`));
  const save = async (said) => {
    persona.data.value = await api.send("PUT", admin, said);
    tell(say("admin.saved"), () => revert(api, admin, changed));
    feedback.reload();
  };
  const part = { api, keeper, admin, mayWrite, changed };
  return html`
    <article aria-labelledby="page-title">
      <p><a href=${hashOf("personas")}>← ${say("admin.page.personas")}</a></p>
      <${Head} persona=${persona.data.value} ...${part} />
      <${Loaded} from=${persona}>${(found) => html`
        <div class="two">
          <section class="card" aria-labelledby="persona-form">
            <h3 id="persona-form">${say("admin.persona.who")}</h3>
            <${PersonaForm} ...${{ place: admin, persona: found, mayWrite, look, save }} />
          </section>
          <div class="stack">
            <${Source} ...${part} />
            <${VoiceSample} ...${part} />
            <${CardExport} id=${found.id} />
          </div>
          <${Proposals} ...${part} />
          <${Feedback} from=${feedback} />
        </div>
      `}<//>
    </article>
  `;
}

function Head({ persona, ...part }) {
  if (!persona) return html`<div class="page-head"><h2 id="page-title">${say("admin.page.personas")}</h2></div>`;
  const { api, admin, mayWrite, changed } = part;
  const { name, color, origin } = persona;
  return html`
    <div class="page-head">
      <h2 id="page-title" class="cast-name" style=${nickStyle(color)}>${name}</h2>
      ${origin === "orphan" && html`<span class="tag">${say("admin.persona.orphan")}</span>`}
      <${Toggle} ...${{ api, persona, mayWrite, done: changed }} />
      ${mayWrite && html`<button class="secondary" onClick=${() => attempt(() => revert(api, admin, changed))}>${say("admin.persona.revert")}</button>`}
      ${mayWrite && origin === "created" && html`<button class="secondary danger" onClick=${() => remove(api, admin, name)}>${say("admin.delete")}</button>`}
    </div>
  `;
}

async function remove(api, admin, name) {
  if (!(await confirmed(say("admin.persona.remove_sure", { name }), say("admin.delete")))) return;
  const isGone = await attempt(() => api.send("DELETE", admin));
  if (!isGone) return;
  draftAt(admin).value = {};
  tell(say("admin.persona.removed", { name }));
  location.hash = hashOf("personas");
}

/** One step back. */
async function revert(api, admin, changed) {
  await api.send("POST", `${admin}/revert`);
  tell(say("admin.persona.reverted"));
  changed();
}
