// The switch for the voices, their volume, and what to do when the browser wants a click first.

import { html } from "../html.js";
import { say } from "../texts.js";
import { SoundOff, SoundOn } from "./icons.js";

export function VoiceSwitch({ voice }) {
  const isOn = voice.isOn.value;
  return html`
    <button
      class="flat icon-switch voice-switch"
      popovertarget="voice-panel"
      aria-label=${say("voice.title")}
      title=${say("voice.title")}
      data-speaks=${voice.speaking.value !== null}
    >
      <${isOn ? SoundOn : SoundOff} />
    </button>
    <div class="voice-panel" id="voice-panel" popover="auto">
      <label class="voice-row">
        <input type="checkbox" role="switch" checked=${isOn} onChange=${(event) => voice.turn(event.target.checked)} />
        <span>${say("voice.hear")}</span>
      </label>
      <label class="voice-row">
        <span>${say("voice.volume")}</span>
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          disabled=${!isOn}
          value=${voice.volume.value}
          onInput=${(event) => voice.setVolume(Number(event.target.value))}
        />
      </label>
      <button class="flat" disabled=${!voice.isBusy.value} onClick=${() => voice.hush([])}>${say("voice.hush")}</button>
    </div>
  `;
}

/** Browsers are silent until the page was touched. */
export function VoiceBlocked({ voice }) {
  const nick = voice.blocked.value;
  return html`
    <div class="blocked" role="status" hidden=${nick === null}>
      ${
        nick !== null &&
        html`
          <span>${say("voice.blocked", { nick })}</span>
          <button class="flat strong" onClick=${() => voice.unblock()}>${say("voice.listen")}</button>
        `
      }
    </div>
  `;
}

/** Beside a persona's nick: whether it is heard. */
export function MuteButton({ voice, nick }) {
  const isMuted = voice.muted.value.has(nick);
  return html`
    <button
      class="tool mute"
      tabindex="-1"
      aria-label=${say(isMuted ? "voice.unmute" : "voice.mute", { nick })}
      title=${say(isMuted ? "voice.unmute" : "voice.mute", { nick })}
      aria-pressed=${isMuted}
      onClick=${() => voice.mute(nick, !isMuted)}
    >
      <${isMuted ? SoundOff : SoundOn} />
    </button>
  `;
}

/** Three bars that move while somebody is heard. */
export function Speaks({ nick }) {
  return html`
    <span class="speaks"><i></i><i></i><i></i><span class="only-heard">${say("voice.speaks", { nick })}</span></span>
  `;
}
