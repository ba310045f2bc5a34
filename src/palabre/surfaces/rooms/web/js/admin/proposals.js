// What could be changed of a persona: drafted by the model from its source and feedback, and only
// applied when somebody wants it.

import { useSignal } from "../../vendor/signals.js";
import { wordDiff } from "../core/word_diff.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Loaded, useLoaded } from "./loaded.js";
import { attempt, tell } from "./notice.js";
import { confirmed } from "./confirmation.js";
import { when } from "./when.js";

export function Proposals({ api, keeper, admin, mayWrite, changed }) {
  const proposals = useLoaded(keeper, () => api.get(`${admin}/proposals`));
  const isDrafting = useSignal(false);
  const refresh = () => {
    proposals.reload();
    changed();
  };
  const draft = async () => {
    isDrafting.value = true;
    await attempt(async () => {
      await api.send("POST", `${admin}/reinforce`, {});
      tell(say("admin.proposal.drafted"));
    });
    isDrafting.value = false;
    refresh();
  };
  return html`
    <section class="card wide" aria-labelledby="proposals" aria-busy=${isDrafting.value}>
      <h3 id="proposals">${say("admin.proposal.title")}</h3>
      ${
        mayWrite &&
        html`
          <p class="row-actions">
            <button class="secondary" disabled=${isDrafting.value} onClick=${draft}>${say("admin.proposal.draft")}</button>
            <span role="status">${isDrafting.value && say("admin.proposal.drafting")}</span>
          </p>
        `
      }
      <${Loaded} from=${proposals}>${(list) =>
        list.length === 0
          ? html`<p class="empty">${say("admin.proposal.none")}</p>`
          : html`<ul class="entries">${list.map((each) => html`<li key=${each.id} class="entry-box"><${Proposal} ...${{ api, admin, mayWrite, proposal: each, done: refresh }} /></li>`)}</ul>`}<//>
    </section>
  `;
}

/** Why a proposal is there that nobody asked for. */
const SUGGESTED = "pharmacius";

const FIELDS = ["name", "model", "summary"];

function Proposal({ api, admin, mayWrite, proposal, done }) {
  const { id, reason, before, after, applied, createdAt } = proposal;
  const fields = FIELDS.filter((name) => (before?.[name] ?? "") !== (after?.[name] ?? ""));
  return html`
    <p class="entry-head">
      <time datetime=${createdAt}>${when(createdAt)}</time>
      ${reason === SUGGESTED && html`<span class="tag">${say("admin.proposal.suggested")}</span>`}
      <span class="tag">${say(applied ? "admin.proposal.applied" : "admin.proposal.open")}</span>
    </p>
    ${fields.length === 0 && html`<p class="empty">${say("admin.proposal.same")}</p>`}
    <dl class="changes">
      ${fields.map((name) => html`<div key=${name}><dt>${say(`admin.persona.field.${name}`)}</dt><dd class="diff"><${Diff} before=${before?.[name] ?? ""} after=${after?.[name] ?? ""} /></dd></div>`)}
    </dl>
    ${
      mayWrite &&
      !applied &&
      html`
        <p class="row-actions">
          <button class="primary" disabled=${fields.length === 0} onClick=${() => apply(api, admin, proposal, done)}>${say("admin.proposal.apply")}</button>
          <button class="flat" onClick=${() => dismiss(api, admin, id, done)}>${say("admin.proposal.dismiss")}</button>
        </p>
      `
    }
  `;
}

async function apply(api, admin, { id }, done) {
  await attempt(async () => {
    await api.send("POST", `${admin}/proposals/${encodeURIComponent(id)}/apply`);
    tell(say("admin.proposal.is_applied"), async () => {
      await api.send("POST", `${admin}/revert`);
      tell(say("admin.persona.reverted"));
      done();
    });
  });
  done();
}

async function dismiss(api, admin, id, done) {
  if (!(await confirmed(say("admin.proposal.sure"), say("admin.proposal.dismiss")))) return;
  await attempt(async () => {
    await api.send("DELETE", `${admin}/proposals/${encodeURIComponent(id)}`);
    tell(say("admin.proposal.dismissed"));
  });
  done();
}

/** What goes is struck out, what comes is underlined; readers are told in words. */
export function Diff({ before, after }) {
  return wordDiff(before, after).map(({ kind, text }, index) => {
    if (kind === "same") return text;
    const words = html`<span class="only-heard">${say(`admin.diff.${kind}`)} </span>`;
    return kind === "gone"
      ? html`<del key=${index}>${words}${text}</del>`
      : html`<ins key=${index}>${words}${text}</ins>`;
  });
}
