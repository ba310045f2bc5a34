// What people and editors said of a persona.

import { feedbackOf } from "../core/feedback.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Loaded } from "./loaded.js";
import { when } from "./when.js";

export function Feedback({ from }) {
  return html`
    <section class="card wide" aria-labelledby="feedback">
      <h3 id="feedback">${say("admin.feedback.title")}</h3>
      <${Loaded} from=${from}>${(list) =>
        list.length === 0
          ? html`<p class="empty">${say("admin.feedback.none")}</p>`
          : html`<ul class="entries tall" tabindex="0" aria-labelledby="feedback">${list.map((each) => html`<li key=${each.id} class="entry-box"><${Entry} feedback=${each} /></li>`)}</ul>`}<//>
    </section>
  `;
}

function Entry({ feedback }) {
  const { vote, response, prompt, text } = feedbackOf(feedback);
  return html`
    <p class="entry-head">
      <time datetime=${feedback.createdAt}>${when(feedback.createdAt)}</time>
      <span class="tag">${say(vote ? `admin.feedback.vote.${vote}` : `admin.feedback.kind.${kindOf(feedback)}`)}</span>
    </p>
    ${prompt && html`<p class="detail clamp">${prompt}</p>`}
    <p class="entry-text">${response || text}</p>
  `;
}

const KINDS = ["vote", "admin_edit", "chat_signal", "drift_report"];
const kindOf = ({ kind }) => (KINDS.includes(kind) ? kind : "vote");
