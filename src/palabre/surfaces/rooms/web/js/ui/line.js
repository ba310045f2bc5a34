// One line of the log. A finished line never changes, so it is drawn once for each language.

import { Component } from "../../vendor/preact.js";
import { nickStyle } from "../core/color.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { Again } from "./icons.js";
import { Markdown } from "./markdown_view.js";
import { VerdictMarks } from "./verdict_bar.js";
import { Speaks } from "./voice_panel.js";

const WATCHED = ["line", "personas", "language", "voiced", "vote", "pinned", "isMeant"];

export class Line extends Component {
  shouldComponentUpdate(next) {
    return WATCHED.some((key) => next[key] !== this.props[key]);
  }

  /**
   * `voiced`: undefined, "heard" (it can be heard again) or "speaks" (it is heard now).
   * `vote`, `pinned`: what the user thought of it. `isMeant`: the verdict bar is about it.
   */
  render({ line, personas, nick, voiced, vote, pinned, isMeant, replay, enlarge }) {
    if (line.code?.startsWith("divider."))
      return html`<p class="divider past">${say(line.code)}</p>`;
    return html`
      <div data-line=${line.id} class=${`line ${line.kind}${line.own ? " own" : ""}${voiced ? " voiced" : ""}${isMeant ? " meant" : ""}`}>
        <${Time} line=${line} />
        ${BODIES[line.kind]({ line, known: { personas, nick }, speaks: voiced === "speaks", enlarge, vote, pinned })}
        ${voiced && html`<${Replay} ...${{ line, replay }} />`}
      </div>
    `;
  }
}

/** A reply that still grows, or that has not begun yet. */
export function GrowingReply({ reply, known, speaks }) {
  return html`
    <div class="line message growing">
      <span class="time"></span>
      <${Nick} ...${{ ...reply, speaks }} />
      <div class="said">
        ${
          reply.text
            ? html`<${Markdown} text=${reply.text} known=${known} />`
            : html`<p class="writes">${say("log.writes")}</p>`
        }
      </div>
    </div>
  `;
}

/** What the user sent and the server has not said yet. */
export function PendingLine({ line, nick }) {
  return html`
    <div class="line message own pending">
      <span class="time"></span>
      <${Nick} nick=${nick} />
      <div class="said">
        <p class="words">${line.text} <span class="waits">— ${say("waiting")}</span></p>
      </div>
    </div>
  `;
}

function Time({ line }) {
  const date = new Date(line.at);
  const clock =
    line.clock ??
    date.toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit", hour12: false });
  return html`<time class="time" datetime=${line.clock ?? date.toISOString()}>${clock}</time>`;
}

function Nick({ nick, color, speaks }) {
  return html`
    <span class="nick" data-nick=${nick} style=${nickStyle(color)}>${nick}${speaks && html`<${Speaks} nick=${nick} />`}</span>
  `;
}

function Replay({ line, replay }) {
  const words = say("voice.replay", line);
  return html`
    <button class="tool replay" aria-label=${words} title=${words} onClick=${() => replay(line.replyId)}>
      <${Again} />
    </button>
  `;
}

/** What the client says itself follows the language; what the server said stays as it was. */
const wordsOf = ({ text, code, data }) => (code ? say(code, data) : text);

const server = (text) => html`<div class="server">${text.split("\n").map(row)}</div>`;

const COLUMN = /^\S.*?(?:\s{2,}(?:— )?|\s— )(?=\S)/;

/** A row of a table is wrapped below its last column, any other line at the border. */
function row(line, index, { length }) {
  const hang = line.match(COLUMN)?.[0].length;
  const words = index < length - 1 ? `${line}\n` : line;
  return hang
    ? html`<span class="row" style=${{ "--hang": `${hang}ch` }}>${words}</span>`
    : html`<span class="row">${words}</span>`;
}

const BODIES = {
  message: ({ line, known, speaks, vote, pinned }) => html`
    <${Nick} ...${{ ...line, speaks }} />
    <div class="said">
      <${Markdown} text=${line.text} known=${known} />
      ${line.cut && html`<span class="cut">${say("log.cut")}</span>`}
      <${VerdictMarks} ...${{ vote, pinned }} />
    </div>
  `,
  unsent: ({ line }) => html`
    <${Nick} ...${line} />
    <div class="said">
      <p class="words">${line.text}</p>
      <span class="cut">${say("log.unsent")}</span>
    </div>
  `,
  system: ({ line }) => server(wordsOf(line)),
  error: ({ line }) => server(line.text),
  motd: ({ line }) => server(wordsOf(line)),
  join: ({ line }) => server(`→ ${line.text}`),
  part: ({ line }) => server(`← ${line.text}`),
  notice: ({ line }) => server(wordsOf(line)),
  image: ({ line, enlarge }) => media(line, (url) => picture(line, url, enlarge)),
  music: ({ line }) =>
    media(
      line,
      (url) =>
        html`<audio controls preload="metadata" src=${url} aria-label=${say("log.sound", line)}></audio>`,
    ),
};

function picture(line, url, enlarge) {
  const words = line.text || say("log.image", line);
  return html`
    <button class="picture" title=${say("viewer.enlarge")} onClick=${() => enlarge(line.id)}>
      <img src=${url} alt=${words} />
    </button>
  `;
}

function media(line, element) {
  return html`
    <${Nick} ...${line} />
    <figure class="said">
      ${line.url ? element(line.url) : html`<p class="cut">${say("log.refused")}</p>`}
      ${line.text && html`<figcaption class="caption">${line.text}</figcaption>`}
    </figure>
  `;
}
