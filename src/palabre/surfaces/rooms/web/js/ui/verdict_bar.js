// Thumbs and pin for one answer at a time: the one under the pointer, the one that was tapped, or
// the one that the arrow keys went to. One stop of the Tab key for all answers.

import { useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { isPinned } from "../core/verdicts.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Pin, ThumbDown, ThumbUp } from "./icons.js";

const MAX_HEARD = 80;

/**
 * @param lines the answers that can be judged, the oldest first
 * @param target signal of the id of the line that is meant, or null
 * @param view ref of the element that scrolls
 */
export function VerdictBar({ lines, target, view, verdicts, channel }) {
  const bar = useRef(null);
  const isInside = useSignal(false);
  const place = useSignal(null);
  const line = lines.find(({ id }) => id === target.value) ?? lines.at(-1);
  const isShown = isInside.value || target.value === line.id;
  useLayoutEffect(() => {
    const element = isShown && view.current.querySelector(`[data-line="${line.id}"]`);
    if (!element) return;
    const { offsetTop: top, offsetHeight: height } = element;
    if (place.value?.top === top && place.value.height === height) return; // else it never ends
    place.value = { top, height };
  });
  const enter = () => {
    target.value = line.id;
    isInside.value = true;
  };
  const leave = (event) => {
    if (bar.current.contains(event.relatedTarget)) return;
    isInside.value = false;
    target.value = null;
  };
  const pressed = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    if (step.across) return beside(bar.current, step.across);
    const to = lines[lines.indexOf(line) + step.along];
    if (!to) return;
    target.value = to.id;
    view.current.querySelector(`[data-line="${to.id}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const heard = line.text.slice(0, MAX_HEARD);
  return html`
    <div
      class="verdict-bar"
      ref=${bar}
      role="toolbar"
      aria-label=${say("verdict.title", { nick: line.nick })}
      data-shown=${isShown}
      data-line-id=${line.id}
      style=${place.value && { "--top": `${place.value.top}px`, "--bottom": `${place.value.top + place.value.height}px` }}
      onFocusIn=${enter}
      onFocusOut=${leave}
      onKeyDown=${pressed}
    >
      <span class="only-heard" role="status">${isInside.value && `${line.nick} : ${heard}`}</span>
      <${Actions} ...${{ line, verdicts, channel }} />
    </div>
  `;
}

const STEPS = {
  ArrowLeft: { across: -1 },
  ArrowRight: { across: 1 },
  ArrowUp: { along: -1 },
  ArrowDown: { along: 1 },
};

function beside(bar, step) {
  const buttons = [...bar.querySelectorAll("button")];
  buttons[buttons.indexOf(document.activeElement) + step]?.focus();
}

function Actions({ line, verdicts, channel }) {
  const all = verdicts.all.value;
  const vote = all.votes[line.replyId];
  const pinned = isPinned(all, line.replyId);
  const rows = [
    ["up", ThumbUp, vote === "up", () => verdicts.vote(line, "up", channel)],
    ["down", ThumbDown, vote === "down", () => verdicts.vote(line, "down", channel)],
    [pinned ? "unpin" : "pin", Pin, pinned, () => verdicts.pin(line, channel)],
  ];
  return rows.map(
    ([name, Icon, isOn, act], index) => html`
      <button
        key=${index}
        type="button"
        class="tool"
        tabindex=${index === 0 ? 0 : -1}
        aria-label=${say(`verdict.${name}`)}
        title=${say(`verdict.${name}`)}
        aria-pressed=${isOn}
        onClick=${act}
      >
        <${Icon} />
      </button>
    `,
  );
}

/** What the user thought of a line, for eyes and for readers. */
export function VerdictMarks({ vote, pinned }) {
  if (!vote && !pinned) return null;
  const mark = (name, Icon) => html`<span class="mark-sign" key=${name}><${Icon} /><span class="only-heard">${say(`verdict.is.${name}`)}</span></span>`;
  return html`
    <p class="marks">
      ${vote === "up" && mark("up", ThumbUp)} ${vote === "down" && mark("down", ThumbDown)} ${pinned && mark("pin", Pin)}
    </p>
  `;
}
