// The way to the pages beside.

import { pageOf } from "../core/paging.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";

/** @param at (offset) => the hash of the page that begins there */
export function Pager({ offset, limit, total, at }) {
  const { first, last, previous, next } = pageOf(offset, limit, total);
  if (previous === null && next === null) return null;
  const [from, to, count] = [first, last, total].map((value) => value.toLocaleString(language.value));
  return html`
    <nav class="pager" aria-label=${say("admin.pager")}>
      ${previous !== null && html`<a class="flat strong" href=${at(previous)}>${say("admin.previous")}</a>`}
      <span class="detail">${say("admin.rows", { from, to, count })}</span>
      ${next !== null && html`<a class="flat strong" href=${at(next)}>${say("admin.next")}</a>`}
    </nav>
  `;
}
