// Shows the tree of core/markdown.js: every text is a text node, every element is named here.

import { nickStyle } from "../core/color.js";
import { parseMarkdown } from "../core/markdown.js";
import { html } from "../html.js";

/** @param known {personas: Map<string, string>, nick: string | null} for mentions */
export function Markdown({ text, known }) {
  return parseMarkdown(text).map((block) => BLOCKS[block.type](block, known));
}

const BLOCKS = {
  paragraph: ({ inlines }, known) => html`<p>${shown(inlines, known)}</p>`,
  code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`,
  list: ({ start, items }, known) => {
    const entries = items.map((inlines) => html`<li>${shown(inlines, known)}</li>`);
    return start === null ? html`<ul>${entries}</ul>` : html`<ol start=${start}>${entries}</ol>`;
  },
};

const INLINES = {
  break: () => html`<br />`,
  bold: ({ inlines }, known) => html`<strong>${shown(inlines, known)}</strong>`,
  italic: ({ inlines }, known) => html`<em>${shown(inlines, known)}</em>`,
  code: ({ text }) => html`<code>${text}</code>`,
  mention: ({ text }, known) => mention(text, known),
  link: ({ href, label, host }) => html`
    <a href=${href} target="_blank" rel="noopener noreferrer">${label}</a>${host && ` (${host})`}
  `,
};

function shown(inlines, known) {
  return inlines.map((inline) =>
    typeof inline === "string" ? inline : INLINES[inline.type](inline, known),
  );
}

function mention(text, { personas, nick }) {
  const same = (other) => other.toLowerCase() === text.toLowerCase();
  if (nick !== null && same(nick)) return html`<span class="mention of-you">@${text}</span>`;
  const persona = [...personas.keys()].find(same);
  if (persona === undefined) return `@${text}`;
  return html`<span class="mention" style=${nickStyle(personas.get(persona))}>@${text}</span>`;
}
