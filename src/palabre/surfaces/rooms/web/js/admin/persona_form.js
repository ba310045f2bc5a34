// What a persona is: its names, how it looks and sounds, and how it is told to speak.

import { hashOf } from "../core/admin_route.js";
import { checkedColor, nickStyle } from "../core/color.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { DraftFoot, useDraft } from "./draft_form.js";
import { tell } from "./notice.js";

const NO_COLOR = "#888888";
const MAX_TOKENS = 32_768;

/** How each field is filled in, in the order of the form. */
const FIELDS = {
  name: { maxlength: 50, required: true },
  model: { maxlength: 100, required: true },
  color: { type: "color" },
  voice: { maxlength: 200 },
  maxTokens: { type: "number", min: 0, max: MAX_TOKENS, step: 1, required: true },
  summary: { maxlength: 2000, rows: 4 },
  prompt: { maxlength: 8000, rows: 10 },
};
const HINTED = ["voice", "maxTokens"];

const labelOf = (name) => say(`admin.persona.field.${name}`);

/** Fields that the server tells of this persona. */
const fieldsOf = (persona) => Object.keys(FIELDS).filter((name) => persona[name] !== undefined);

/**
 * @param persona as the server tells it; what it does not tell is not asked for
 * @param others what `useDraft` wants besides
 */
export function PersonaForm({ persona, mayWrite, saveWords, ...others }) {
  const form = useDraft({ record: persona, ...others });
  return html`
    <form class="form" onSubmit=${form.submit}>
      ${fieldsOf(persona).map((name) => html`<${Field} key=${name} ...${{ name, form, isFixed: !mayWrite }} />`)}
      ${mayWrite && html`<${DraftFoot} ...${{ form, labelOf, saveWords }} />`}
    </form>
  `;
}

function Field({ name, form, isFixed }) {
  const { type, rows, ...limits } = FIELDS[name];
  const value = form.shown(name);
  const said = ({ target }) => (type === "number" && target.value !== "" ? Number(target.value) : target.value);
  const control = { name, value, ...limits, readonly: isFixed, onInput: (event) => form.write(name, said(event)) };
  return html`
    <label class="field">
      <span>${labelOf(name)}</span>
      ${
        rows
          ? html`<textarea rows=${rows} ...${control}></textarea><span class="detail" aria-hidden="true">${value.length}/${limits.maxlength}</span>`
          : type === "color"
            ? html`<${ColorChoice} ...${{ control, nick: form.shown("name"), isFixed }} />`
            : html`<input type=${type ?? "text"} autocapitalize="none" autocomplete="off" spellcheck=${false} ...${control} />`
      }
      ${HINTED.includes(name) && html`<span class="detail">${say(`admin.persona.hint.${name}`)}</span>`}
    </label>
  `;
}

/** With the name as both papers show it: a colour is moved until it can be read there. */
function ColorChoice({ control, nick, isFixed }) {
  const color = checkedColor(control.value) ?? NO_COLOR;
  return html`
    <span class="color-choice">
      <input type="color" ...${control} value=${color} disabled=${isFixed} />
      ${["dark", "light"].map((paper) => html`<span key=${paper} class=${`color-sample ${paper}`} style=${nickStyle(color)} aria-hidden="true">${nick}</span>`)}
    </span>
  `;
}

export function NewPersona({ api }) {
  const blank = { name: "", summary: "" };
  const create = async (said) => {
    const made = await api.send("POST", "api/admin/personas", said);
    tell(say("admin.persona.created", made));
    location.hash = hashOf("personas", made.id);
  };
  const form = { place: "new", persona: blank, mayWrite: true, save: create, look: async () => blank };
  return html`
    <section class="card" aria-labelledby="new-persona">
      <h3 id="new-persona">${say("admin.persona.new")}</h3>
      <${PersonaForm} ...${form} saveWords=${say("admin.persona.create")} />
    </section>
  `;
}
