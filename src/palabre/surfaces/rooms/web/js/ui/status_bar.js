// One line about the connection, in words, with its countdown; and who is writing, for readers.

import { useEffect } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { MAX_ATTEMPTS } from "../core/backoff.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Pins } from "./pins.js";

export function StatusBar({ client, verdicts }) {
  const { state, attempt, retryAt } = client.status.value;
  const [channel, nick] = [client.channel.value, client.nick.value];
  const word = state === "reconnecting" && attempt === 0 ? "connecting" : state;
  return html`
    <div class="status" data-state=${state}>
      <span class="status-item">
        <span class="lamp" aria-hidden="true"></span>
        <span role="status">${say(`state.${word}`)}</span>
        ${state === "reconnecting" && attempt > 0 && html`<${Countdown} ...${{ attempt, retryAt }} />`}
      </span>
      ${
        state === "disconnected" &&
        html`<button class="flat" onClick=${() => client.connect()}>${say("state.reconnect")}</button>`
      }
      <span class="status-item">${channel}</span>
      ${nick && html`<span class="status-item status-nick">${nick}</span>`}
      <${Writing} client=${client} />
      <${Pins} ...${{ verdicts, personas: client.personas.value, nick }} />
    </div>
  `;
}

function Countdown({ attempt, retryAt }) {
  const seconds = useSignal(secondsUntil(retryAt));
  useEffect(() => {
    seconds.value = secondsUntil(retryAt);
    const timer = setInterval(() => (seconds.value = secondsUntil(retryAt)), 250);
    return () => clearInterval(timer);
  }, [retryAt]);
  const data = { seconds: seconds.value, attempt, attempts: MAX_ATTEMPTS };
  return html`<span class="countdown">${say(seconds.value ? "state.countdown" : "state.attempt", data)}</span>`;
}

const secondsUntil = (moment) => Math.max(0, Math.ceil((moment - Date.now()) / 1000));

function Writing({ client }) {
  const nicks = client.log.value.replies.map((reply) => reply.nick);
  const code = nicks.length > 1 ? "writing.many" : "writing.one";
  return html`
    <span class="only-heard" role="status">
      ${nicks.length > 0 && say(code, { nicks: nicks.join(", ") })}
    </span>
  `;
}
