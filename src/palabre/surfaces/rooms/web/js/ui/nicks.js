// Who is here: people first, then personas in their colours. A column, or a drawer where it is tight.

import { useEffect, useRef } from "../../vendor/preact-hooks.js";
import { nickStyle } from "../core/color.js";
import { presence } from "../core/room.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { SessionLinks } from "./session_gate.js";
import { MuteButton, Speaks } from "./voice_panel.js";

const NARROW = matchMedia("(max-width: 43.99rem)");

export function Nicks({ client, voice, mention, drawer, keeper }) {
  const side = useRef(null);
  useDrawer(side, drawer);
  const room = {
    nick: client.nick.value,
    users: client.users.value,
    personas: client.personas.value,
  };
  const { people, personas } = presence(room);
  const close = () => (drawer.value = false);
  return html`
    ${drawer.value && html`<div class="veil" onClick=${close}></div>`}
    <aside class="nicks" id="nicks" ref=${side} data-open=${drawer.value} aria-label=${say("nicks.title")}>
      <button class="flat drawer-close" onClick=${close}>${say("nicks.close")}</button>
      <p class="only-heard" id="nicks-arrows">${say("nicks.arrows")}</p>
      <${Group} title=${say("people")} nicks=${people} ...${{ room, voice, mention }} />
      <${Group} title=${say("personas")} nicks=${personas} ...${{ room, voice, mention }} />
      ${
        client.isConnected.value &&
        html`<button class="flat leave" onClick=${() => client.leave()}>${say("state.leave")}</button>`
      }
      <${SessionLinks} keeper=${keeper} />
    </aside>
  `;
}

/** A closed drawer cannot be reached; an open one takes the focus and gives it back. */
function useDrawer(side, drawer) {
  useEffect(() => {
    const settle = () => (side.current.inert = NARROW.matches && !drawer.value);
    settle();
    NARROW.addEventListener("change", settle);
    return () => NARROW.removeEventListener("change", settle);
  }, [drawer.value]);
  useEffect(() => {
    if (!drawer.value) return undefined;
    const before = document.activeElement;
    side.current.querySelector("button").focus();
    const close = (event) => event.key === "Escape" && (drawer.value = false);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("keydown", close);
      if (
        document.activeElement === document.body ||
        side.current.contains(document.activeElement)
      ) {
        before?.focus();
      }
    };
  }, [drawer.value]);
}

function Group({ title, nicks, room, voice, mention }) {
  const list = useRef(null);
  if (nicks.length === 0) return null;
  return html`
    <section>
      <h2 class="side-title">${title} <span class="count">${nicks.length}</span></h2>
      <ul
        class="nick-list"
        ref=${list}
        aria-describedby="nicks-arrows"
        onKeyDown=${(event) => walk(event, list.current)}
      >
        ${nicks.map((nick, index) => html`<${Entry} key=${nick} ...${{ nick, index, room, voice, mention }} />`)}
      </ul>
    </section>
  `;
}

function Entry({ nick, index, room, voice, mention }) {
  const isPersona = room.personas.has(nick);
  const isYou = nick === room.nick;
  return html`
    <li class="nick-row">
      <button
        class=${`nick-entry ${isPersona ? "persona" : "person"}`}
        style=${isPersona ? nickStyle(room.personas.get(nick)) : null}
        tabindex=${index === 0 ? 0 : -1}
        onClick=${() => mention(nick)}
      >
        <span class="only-heard">${say("nicks.mention")} </span>
        <span class="nick-name">${nick}</span>
        ${isYou && html`<span class="you">${say("you")}</span>`}
        ${isPersona && voice.speaking.value?.nick === nick && html`<${Speaks} nick=${nick} />`}
      </button>
      ${isPersona && voice.isOn.value && html`<${MuteButton} ...${{ voice, nick }} />`}
    </li>
  `;
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** One stop of the Tab key for the whole list; arrows walk inside, sideways to what a nick has. */
function walk(event, list) {
  const row = document.activeElement.closest("li");
  const to = SIDES[event.key] ? besides(row, event.key) : above(row, list, STEPS[event.key]);
  if (!to) return;
  event.preventDefault();
  for (const entry of list.querySelectorAll("button")) entry.tabIndex = entry === to ? 0 : -1;
  to.focus();
}

const SIDES = { ArrowRight: "button:last-child", ArrowLeft: "button:first-child" };
const besides = (row, key) => row.querySelector(SIDES[key]);

function above(row, list, step) {
  if (step === undefined) return null;
  const rows = [...list.children];
  const to = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + step))];
  return to.querySelector("button");
}
