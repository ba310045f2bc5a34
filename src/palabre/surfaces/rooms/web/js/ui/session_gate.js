// Rooms that want a session: the login over the talk, which stays as it was, and the end of a
// session before it comes.

import { useEffect, useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";

export function SessionGate({ client, keeper }) {
  const { state } = client.status.value;
  const why = WHYS[state === "ended" && keeper.hasLeft ? "locked" : state];
  return why && html`<${Box} key=${why} ...${{ client, keeper, why }} />`;
}

const WHYS = { locked: "login.why_rooms", ended: "login.why_ended", refused: "login.why_name" };

function Box({ client, keeper, why }) {
  const dialog = useRef(null);
  const part = useSignal(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  useEffect(() => {
    import("./login_form.js").then(({ LoginForm }) => (part.value = { LoginForm }));
  }, []);
  return html`
    <dialog class="box" ref=${dialog} aria-labelledby="login-title" onCancel=${(event) => event.preventDefault()}>
      ${part.value && html`<${part.value.LoginForm} keeper=${keeper} why=${why} />`}
      ${why === WHYS.refused && html`<p class="row-actions"><button type="button" class="flat" onClick=${() => client.connect()}>${say("state.reconnect")}</button></p>`}
    </dialog>
  `;
}

/** Says that the session is about to end; whoever logs in again keeps what was typed. */
export function SessionEnd({ keeper }) {
  const endsAt = keeper.endsAt.value;
  if (endsAt === null) return null;
  const at = new Date(endsAt).toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" });
  return html`<p class="session-end" role="alert">${say("session.ends_at", { at })}</p>`;
}

/** Below who is here: the way to the control room, and out of a session. */
export function SessionLinks({ keeper }) {
  const session = keeper.session.value;
  const leave = () => keeper.logOut().catch(() => {});
  return html`
    <p class="session-links">
      <a class="flat" href="admin">${say("session.admin")}</a>
      ${session && html`<button class="flat" onClick=${leave}>${say("session.log_out", { name: session.username })}</button>`}
    </p>
  `;
}
