// What a persona is: name, model, summary, and how it is told to speak.

import { useSignal } from "../../vendor/signals.js";
import { hashOf } from "../core/admin_route.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { ProblemLine } from "./loaded.js";
import { tell } from "./notice.js";

const LIMITS = { name: 50, model: 100, summary: 2000, prompt: 8000 };

/** Fields that the server tells of this persona, and that can be changed. */
const fieldsOf = (persona) => Object.keys(LIMITS).filter((name) => typeof persona[name] === "string");

/**
 * @param persona as the server tells it
 * @param save takes what was changed, throws a Problem
 */
export function PersonaForm({ persona, mayWrite, save }) {
  const draft = useSignal({});
  const problem = useSignal(null);
  const isBusy = useSignal(false);
  const changed = Object.entries(draft.value).filter(([name, value]) => value !== persona[name]);
  const submit = async (event) => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = null;
    try {
      await save(Object.fromEntries(changed));
      draft.value = {};
    } catch (found) {
      problem.value = found;
    }
    isBusy.value = false;
  };
  return html`
    <form class="form" onSubmit=${submit}>
      ${fieldsOf(persona).map((name) => html`<${Field} key=${name} ...${{ name, draft, value: draft.value[name] ?? persona[name], isFixed: !mayWrite }} />`)}
      ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
      ${
        mayWrite &&
        html`
          <p class="row-actions">
            <button class="primary" disabled=${isBusy.value || changed.length === 0}>${say("admin.save")}</button>
            ${changed.length > 0 && html`<button type="button" class="flat" onClick=${() => (draft.value = {})}>${say("admin.discard")}</button>`}
          </p>
        `
      }
    </form>
  `;
}

const LONG = { summary: 4, prompt: 10 };

function Field({ name, value, draft, isFixed }) {
  const write = (event) => (draft.value = { ...draft.value, [name]: event.target.value });
  const limits = { name, value, maxlength: LIMITS[name], readonly: isFixed, onInput: write };
  return html`
    <label class="field">
      <span>${say(`admin.persona.field.${name}`)}</span>
      ${
        LONG[name]
          ? html`<textarea rows=${LONG[name]} ...${limits}></textarea>`
          : html`<input required=${name === "name"} autocapitalize="none" spellcheck=${false} ...${limits} />`
      }
      ${name in LONG && html`<span class="detail" aria-hidden="true">${value.length}/${LIMITS[name]}</span>`}
    </label>
  `;
}

export function NewPersona({ api }) {
  const blank = { name: "", summary: "" };
  const create = async (said) => {
    const made = await api.send("POST", "api/admin/personas", said);
    tell(say("admin.persona.created", made));
    location.hash = hashOf("personas", made.id);
  };
  return html`
    <section class="card" aria-labelledby="new-persona">
      <h3 id="new-persona">${say("admin.persona.new")}</h3>
      <${PersonaForm} ...${{ persona: blank, mayWrite: true, save: create }} />
    </section>
  `;
}
