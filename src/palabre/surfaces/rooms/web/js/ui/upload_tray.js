// The files on their way, above the composer.

import { useEffect } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Cross, Page } from "./icons.js";
import { sizeWords } from "./size_words.js";

export function UploadTray({ client, uploads, items }) {
  const list = items.value;
  const isConnected = client.isConnected.value;
  return html`
    <section class="tray" aria-label=${say("upload.title")} hidden=${list.length === 0}>
      <ul class="uploads">
        ${list.map((item) => html`<${Item} key=${item.id} ...${{ item, uploads, isConnected }} />`)}
      </ul>
      <p class="only-heard" role="status">${list.map(announced).find(Boolean)}</p>
    </section>
  `;
}

function Item({ item, uploads, isConnected }) {
  const { id, name, state } = item;
  const isOver = state === "failed" || state === "sent";
  return html`
    <li class="upload" data-state=${state}>
      ${item.preview ? html`<img class="thumb" src=${item.preview} alt="" />` : html`<span class="thumb"><${Page} /></span>`}
      <div class="upload-words">
        ${
          !isOver &&
          html`<p class="upload-name"><span class="upload-file">${name}</span> <span class="upload-size">${sizeWords(item.size)}</span></p>`
        }
        <${State} ...${{ item, isConnected }} />
      </div>
      ${
        state === "failed" &&
        item.size > 0 &&
        isRetryable(item) &&
        html`<button type="button" class="flat strong" onClick=${() => uploads.retry(id)}>${say("upload.retry")}</button>`
      }
      <button
        type="button"
        class="tool upload-cancel"
        aria-label=${say(isOver ? "upload.remove" : "upload.cancel", { name })}
        onClick=${() => uploads.remove(id)}
      >
        <${Cross} />
      </button>
    </li>
  `;
}

/** A file that is too large stays too large. */
const isRetryable = ({ problem }) => !["upload.too_large", "upload.empty"].includes(problem.code);

function State({ item, isConnected }) {
  if (item.state === "failed")
    return html`<p class="upload-problem" role="alert">${problemWords(item)}</p>`;
  if (item.state === "busy") return html`<${Countdown} retryAt=${item.retryAt} />`;
  if (item.state === "sent") return html`<p class="upload-state">${say("upload.sent", item)}</p>`;
  if (item.state === "waiting" || (item.state === "sending" && item.sent === 0))
    return html`<p class="upload-state">${say(isConnected ? "upload.waiting" : "upload.offline")}</p>`;
  const percent = Math.floor((100 * item.sent) / item.size);
  return html`
    <p class="upload-state">
      <progress max=${item.size} value=${item.sent} aria-label=${say("upload.progress", item)}></progress>
      <span>${item.state === "reading" ? say("upload.reading") : say("upload.percent", { percent })}</span>
    </p>
  `;
}

function Countdown({ retryAt }) {
  const seconds = useSignal(secondsUntil(retryAt));
  useEffect(() => {
    const timer = setInterval(() => (seconds.value = secondsUntil(retryAt)), 250);
    return () => clearInterval(timer);
  }, [retryAt]);
  return html`<p class="upload-state">${say("upload.busy", { seconds: seconds.value })}</p>`;
}

const secondsUntil = (moment) => Math.max(0, Math.ceil((moment - Date.now()) / 1000));

/** What the server said, or a text of ours with its sizes in words. */
function problemWords({ problem }) {
  const { message, code, size, limit, ...data } = problem;
  if (message) return message;
  const words =
    code === "upload.too_many"
      ? { limit }
      : { size: sizeWords(size ?? 0), limit: sizeWords(limit ?? 0) };
  return say(code, { ...data, ...words });
}

/** Only what is over is told to readers; progress would talk without end. */
const announced = (item) => item.state === "sent" && say("upload.sent", item);
