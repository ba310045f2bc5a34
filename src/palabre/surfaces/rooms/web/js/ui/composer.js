// Where the user writes, with the limit, the suggestions, and the way to stop an answer.

import { useEffect, useLayoutEffect, useState } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { MAX_TEXT } from "../core/frames.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Attach } from "./attach.js";
import { Candidates } from "./candidates.js";
import { Editor } from "./editor.js";
import { MicrophoneButton, RecordingStrip } from "./microphone_button.js";
import { NickForm } from "./nick_form.js";

const COUNTER_FROM = 512;

export function Composer({ client, commands, scrollLog, voice, uploads, microphone, handle }) {
  const [editor] = useState(() => new Editor({ client, commands, scrollLog }));
  const { field, text, walk } = editor;
  handle.current = editor;
  useLayoutEffect(() => editor.settle(), [text.value]);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current.focus();
  }, []);
  const opened = useSignal(false);
  const askNick = () => {
    client.asksNick.value = !client.asksNick.value;
    opened.value = client.asksNick.value;
  };
  const [channel, nick] = [client.channel.value, client.nick.value];
  return html`
    <form class="composer" onSubmit=${(event) => editor.submit(event)}>
      ${client.asksNick.value && html`<${NickForm} client=${client} wanted=${opened.value} leave=${() => field.current?.focus()} />`}
      <${Candidates} ...${{ walk: walk.value, choose: (index) => editor.choose(index) }} />
      <${RecordingStrip} microphone=${microphone} />
      <div class="entry" data-empty=${text.value === ""}>
        <button
          type="button"
          class="prompt"
          aria-label=${say("nick.change", { nick: nick ?? "…" })}
          disabled=${client.namesAreGiven.value}
          onClick=${askNick}
        >
          <span class="prompt-nick">${nick ?? "…"}</span><span class="prompt-sign" aria-hidden="true">›</span>
        </button>
        <textarea
          ref=${field}
          rows="1"
          name="text"
          aria-label=${say("composer.label", { channel })}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls="candidates"
          aria-activedescendant=${walk.value?.index >= 0 ? `candidate-${walk.value.index}` : null}
          aria-describedby="composer-note"
          placeholder=${say(matchMedia("(max-width: 60rem)").matches ? "composer.placeholder_short" : "placeholder")}
          autocomplete="off"
          enterkeyhint="send"
          value=${text}
          onInput=${() => editor.typed()}
          onKeyDown=${(event) => editor.pressed(event)}
          onBlur=${() => (walk.value = null)}
        ></textarea>
        <${Attach} uploads=${uploads} />
        <${MicrophoneButton} microphone=${microphone} />
        ${
          (client.isAnswered.value || voice.isBusy.value) &&
          html`<button type="button" class="stop" onClick=${() => client.stop()}>${say("composer.stop")}</button>`
        }
        <button class="send" aria-label=${say("composer.send")} disabled=${!editor.canSend}>
          <span aria-hidden="true">⏎</span>
        </button>
      </div>
      <${Note} ...${{ client, length: text.value.length }} />
    </form>
  `;
}

function Note({ client, length }) {
  const left = MAX_TEXT - length;
  const offline = !client.isConnected.value && length > 0;
  const note = offline
    ? say("offline")
    : left < 0
      ? say("composer.over", { over: -left })
      : left <= COUNTER_FROM && say("composer.left", { left });
  return html`<p class="note" id="composer-note" role="status" data-wrong=${left < 0 || offline}>${note}</p>`;
}
