// The log of the channel. Finished lines are announced to readers; growing ones are not.

import { useEffect, useMemo } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { isJudged, isPinned } from "../core/verdicts.js";
import { GrowingReply, Line, PendingLine } from "./line.js";
import { VerdictBar } from "./verdict_bar.js";
import { Welcome } from "./welcome.js";

const NEAR_PX = 40;

export function Log({ client, voice, verdicts, view, mention, write, enlarge }) {
  const target = useSignal(null);
  const pinned = useSignal(true);
  const seenId = useSignal(0);
  const [channel, personas, nick] = [client.channel, client.personas, client.nick].map(
    ({ value }) => value,
  );
  const { lines, replies, dividerId } = client.log.value;
  const waiting = client.waiting.value;
  const [speaking, heard] = [voice.speaking.value?.key, voice.heard.value];
  const voicedOf = ({ replyId }) => {
    if (replyId === undefined || !heard.has(replyId)) return undefined;
    return replyId === speaking ? "speaks" : "heard";
  };
  const actions = useMemo(() => ({ replay: (key) => voice.replay(key), enlarge }), []);
  const newestId = lines.at(-1)?.id ?? 0;
  useStickyBottom(view, pinned, channel);
  useEffect(() => {
    if (pinned.value) seenId.value = newestId;
  }, [pinned.value, newestId]);
  const judged = lines.filter((line) => isJudged(line, personas));
  const means = meaning(judged, target);
  const onClick = (event) => {
    if (event.target.dataset.nick) mention(event.target.dataset.nick);
    else if (matchMedia("(hover: none)").matches) means.tap(event);
  };
  const all = verdicts.all.value;
  const verdictOf = ({ id, replyId }) => ({
    vote: all.votes[replyId],
    pinned: replyId !== undefined && isPinned(all, replyId),
    isMeant: id === target.value,
  });
  const known = { personas, nick };
  return html`
    <div class="log-frame">
      <div class="log" ref=${view} tabindex="0" role="region" aria-label=${say("log.title", { channel })} onClick=${onClick} onPointerOver=${means.hover} onPointerLeave=${means.leave}>
        <div class="log-content">
          <div class="lines" role="log" aria-live=${client.replaying.value ? "off" : "polite"} aria-label=${say("log.title", { channel })}>
            ${lines.flatMap((line) => [
              ...(line.id === dividerId ? [html`<${Divider} key="divider" />`] : []),
              html`<${Line} key=${line.id} ...${{ line, personas, nick, language: language.value, voiced: voicedOf(line), ...verdictOf(line), ...actions }} />`,
            ])}
          </div>
          ${judged.length > 0 && html`<${VerdictBar} ...${{ lines: judged, target, view, verdicts, channel }} />`}
          ${!lines.some(isTalk) && replies.length + waiting.length === 0 && html`<${Welcome} ...${{ personas, write }} />`}
          <div class="growing-replies" role="group" aria-live="off" aria-label=${say("log.progress")}>
            ${replies.map((reply) => html`<${GrowingReply} key=${reply.id} ...${{ reply, known, speaks: reply.id === speaking }} />`)}
          </div>
          <div class="pending-lines" role="group" aria-live="off" aria-label=${say("waiting")}>
            ${waiting.map((line) => html`<${PendingLine} key=${line.id} ...${{ line, nick }} />`)}
          </div>
        </div>
      </div>
      ${!pinned.value && html`<${Newest} ...${{ view, count: newestId - seenId.value }} />`}
    </div>
  `;
}

/** What pointers and fingers do to say which answer is meant. */
function meaning(judged, target) {
  const idAt = ({ target: element }) => Number(element.closest("[data-line]")?.dataset.line);
  const known = (id) => (judged.some((line) => line.id === id) ? id : null);
  return {
    hover(event) {
      if (event.pointerType !== "mouse" || event.target.closest(".verdict-bar")) return;
      target.value = known(idAt(event));
    },
    leave(event) {
      if (event.pointerType === "mouse") target.value = null;
    },
    tap(event) {
      if (event.target.closest("a, button, summary") || String(getSelection())) return;
      const id = known(idAt(event));
      target.value = target.value === id ? null : id;
    },
  };
}

const Divider = () => html`<p class="divider">${say("divider.new")}</p>`;

const isTalk = (line) => !["motd", "notice", "join", "part"].includes(line.kind);

/** Stay at the newest line while the reader is there; leave the reader alone elsewhere. */
function useStickyBottom(view, pinned, channel) {
  useEffect(() => {
    const log = view.current;
    const stick = () => pinned.value && (log.scrollTop = log.scrollHeight);
    let top = 0;
    // What grew before the event came is no wish of the reader: only going up is.
    const look = () => {
      if (log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_PX) pinned.value = true;
      else if (log.scrollTop < top) pinned.value = false;
      top = log.scrollTop;
    };
    const sizes = new ResizeObserver(stick);
    sizes.observe(log);
    sizes.observe(log.firstElementChild);
    log.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      log.removeEventListener("scroll", look);
    };
  }, []);
  useEffect(() => {
    pinned.value = true;
    view.current.scrollTop = view.current.scrollHeight;
  }, [channel]);
}

function Newest({ view, count }) {
  const jump = () => (view.current.scrollTop = view.current.scrollHeight);
  return html`
    <button class="newest" onClick=${jump}>
      <span aria-hidden="true">↓</span> ${say("log.newest")}
      ${count > 0 && html`<span class="newest-count">${say("log.newest_count", { count })}</span>`}
    </button>
  `;
}
