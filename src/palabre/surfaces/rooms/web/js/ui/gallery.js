// What was made here: pictures and music, with what was asked for.

import { useEffect, useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { SHELVES, commandFor, loadShelf } from "../core/gallery.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";

/** Pieces that are shown at once; the others when they are asked for. */
const PAGE = 48;

/**
 * @param write goes back to the talk, with a line in its composer
 * @param close goes back to the talk
 * @param shown signal of what the Viewer shows
 */
export function Gallery({ write, close, shown }) {
  const title = useRef(null);
  const shelf = useSignal("images");
  useLayoutEffect(() => title.current.focus(), []);
  const leave = (event) => event.key === "Escape" && shown.value === null && close();
  return html`
    <section class="gallery" aria-labelledby="gallery-title" onKeyDown=${leave}>
      <header class="gallery-head">
        <h2 id="gallery-title" tabindex="-1" ref=${title}>${say("gallery.title")}</h2>
        <${Tabs} shelf=${shelf} />
        <button class="flat" onClick=${close}>${say("gallery.close")}</button>
      </header>
      <div class="gallery-body" id="gallery-shelf" role="tabpanel" aria-labelledby=${`tab-${shelf.value}`}>
        <${Shelf} key=${shelf.value} ...${{ shelf: shelf.value, again: write, shown }} />
      </div>
    </section>
  `;
}

const TITLES = { images: "gallery.images", audio: "gallery.music" };

export function Tabs({ shelf }) {
  const names = Object.keys(SHELVES);
  const walk = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    shelf.value = names[(names.indexOf(shelf.value) + step + names.length) % names.length];
    document.getElementById(`tab-${shelf.value}`).focus();
  };
  return html`
    <div class="gallery-tabs" role="tablist" aria-label=${say("gallery.title")} onKeyDown=${walk}>
      ${names.map(
        (name) => html`
          <button
            key=${name}
            id=${`tab-${name}`}
            class="tab"
            role="tab"
            aria-selected=${name === shelf.value}
            aria-controls="gallery-shelf"
            tabindex=${name === shelf.value ? 0 : -1}
            onClick=${() => (shelf.value = name)}
          >
            ${say(TITLES[name])}
          </button>
        `,
      )}
    </div>
  `;
}

/** `again` writes a line into the composer; null where there is none. */
export function Shelf({ shelf, again, shown }) {
  const found = useSignal(null);
  const count = useSignal(PAGE);
  const look = async () => {
    found.value = null;
    found.value = await loadShelf((url) => fetch(url), shelf);
  };
  useEffect(() => void look(), []);
  if (found.value === null)
    return html`<p class="gallery-note" role="status">${say("gallery.loading")}</p>`;
  const { pieces, problem } = found.value;
  if (problem) return html`<${Trouble} ...${{ problem, look }} />`;
  if (pieces.length === 0) return html`<${Empty} ...${{ shelf, again }} />`;
  const left = pieces.length - count.value;
  const Piece = shelf === "images" ? Picture : Music;
  return html`
    <ul class=${`pieces ${shelf}`}>
      ${pieces.slice(0, count.value).map(
        (piece, index) => html`
        <${Piece} key=${piece.id} ...${{ piece, shelf, again, enlarge: () => enlarge(shown, pieces, index) }} />
      `,
      )}
    </ul>
    ${left > 0 && html`<button class="flat strong" onClick=${() => (count.value += PAGE)}>${say("gallery.more", { count: left })}</button>`}
  `;
}

function enlarge(shown, pieces, index) {
  const items = pieces.map(({ url, prompt, filename }) => ({ url, caption: prompt, filename }));
  shown.value = { items, index };
}

function Trouble({ problem, look }) {
  return html`
    <div class="gallery-note" role="alert">
      <p>${say(problem)}</p>
      <button class="flat strong" onClick=${look}>${say("gallery.retry")}</button>
    </div>
  `;
}

function Empty({ shelf, again }) {
  const { command } = SHELVES[shelf];
  return html`
    <div class="gallery-note">
      <p>${say(shelf === "images" ? "gallery.no_images" : "gallery.no_music")}</p>
      ${again && html`<button class="flat strong" onClick=${() => again(`${command} `)}>${say("gallery.write", { command })}</button>`}
    </div>
  `;
}

function Picture({ piece, shelf, again, enlarge }) {
  const prompt = piece.prompt || say("gallery.untitled");
  return html`
    <li class="piece">
      <button class="piece-view" aria-label=${say("gallery.view", { prompt })} onClick=${enlarge}>
        <img src=${piece.url} alt="" loading="lazy" decoding="async" />
      </button>
      <${About} ...${{ piece, prompt }} />
      <${Actions} ...${{ piece, shelf, again }} />
    </li>
  `;
}

function Music({ piece, shelf, again }) {
  const prompt = piece.prompt || say("gallery.untitled");
  return html`
    <li class="piece">
      <${About} ...${{ piece, prompt }} />
      <audio controls preload="none" src=${piece.url} aria-label=${prompt}></audio>
      <${Actions} ...${{ piece, shelf, again }} />
    </li>
  `;
}

function About({ piece, prompt }) {
  const date =
    piece.at === null
      ? ""
      : new Date(piece.at).toLocaleString(language.value, {
          dateStyle: "medium",
          timeStyle: "short",
        });
  return html`
    <p class="piece-prompt" title=${prompt}>${prompt}</p>
    <p class="piece-by">${[piece.nick, date].filter(Boolean).join(" · ")}</p>
  `;
}

function Actions({ piece, shelf, again }) {
  return html`
    <p class="piece-actions">
      ${again && piece.prompt && html`<button class="flat strong" onClick=${() => again(commandFor(shelf, piece))}>${say("gallery.again")}</button>`}
      <a class="flat" href=${piece.url} download=${piece.filename}>${say("gallery.download")}</a>
    </p>
  `;
}
