// The microphone of the composer, and what is shown while it listens.

import { useEffect } from "../../vendor/preact-hooks.js";
import { MAX_SECONDS, clockOf } from "../core/recording.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Microphone as Sign } from "./icons.js";

/** How far a finger slides up to throw away what was said. */
const SLIDE_PX = 60;

export function MicrophoneButton({ microphone }) {
  const isOn = microphone.phase.value !== "idle";
  return html`
    <button
      type="button"
      class="tool microphone"
      aria-label=${say(isOn ? "microphone.send" : "microphone.speak")}
      title=${say(isOn ? "microphone.send" : "microphone.speak")}
      aria-pressed=${isOn}
      ...${reactions(microphone)}
    >
      <${Sign} />
    </button>
  `;
}

function reactions(microphone) {
  const isKey = (event) => event.key === " " || event.key === "Enter";
  return {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      microphone.press();
    },
    onPointerMove: (event) => {
      const { top } = event.currentTarget.getBoundingClientRect();
      microphone.isSliding.value = microphone.isHeld.value && event.clientY < top - SLIDE_PX;
    },
    onPointerUp: () => microphone.release(),
    onPointerCancel: () => microphone.isHeld.value && microphone.cancel(),
    onContextMenu: (event) => event.preventDefault(),
    onKeyDown: (event) => {
      if (!isKey(event)) return;
      event.preventDefault();
      if (!event.repeat) microphone.press();
    },
    onKeyUp: (event) => {
      if (!isKey(event)) return;
      event.preventDefault();
      microphone.release();
    },
    onBlur: () => microphone.release(),
    // What reads the page aloud clicks without a finger or a key.
    onClick: (event) => event.detail === 0 && (microphone.press(), microphone.release()),
  };
}

export function RecordingStrip({ microphone }) {
  const phase = microphone.phase.value;
  useEffect(() => (phase === "idle" ? undefined : cancelOnEscape(microphone)), [phase]);
  const problem = microphone.problem.value;
  if (phase === "idle")
    return html`
      <p class="trouble" role="alert">${problem && say(problem.code, problem)}</p>
    `;
  return html`
    <div class="recording" role="group" aria-label=${say("microphone.title")} data-sliding=${microphone.isSliding.value}>
      <span class="lamp" aria-hidden="true"></span>
      <span class="recording-time">
        ${say("microphone.time", { time: clockOf(microphone.seconds.value), limit: clockOf(MAX_SECONDS) })}
      </span>
      <${Level} microphone=${microphone} />
      <span class="recording-hint" role="status">${say(hintOf(microphone))}</span>
      ${
        !microphone.isHeld.value &&
        html`
          <button type="button" class="flat" onClick=${() => microphone.cancel()}>${say("microphone.cancel")}</button>
          <button type="button" class="flat strong" onClick=${() => microphone.finish()}>${say("microphone.send")}</button>
        `
      }
    </div>
  `;
}

function Level({ microphone }) {
  const level = microphone.level.value;
  return html`
    <span
      class="level"
      role="meter"
      aria-label=${say("microphone.level")}
      aria-valuemin="0"
      aria-valuemax="1"
      aria-valuenow=${level.toFixed(2)}
      style=${{ "--level": level }}
    ></span>
  `;
}

function hintOf(microphone) {
  if (microphone.isSliding.value) return "microphone.slide";
  return microphone.isHeld.value ? "microphone.hold" : "microphone.toggle";
}

/** Wherever the focus is: what is said must be easy to take back. */
function cancelOnEscape(microphone) {
  const cancel = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    microphone.cancel();
  };
  window.addEventListener("keydown", cancel, true);
  return () => window.removeEventListener("keydown", cancel, true);
}
