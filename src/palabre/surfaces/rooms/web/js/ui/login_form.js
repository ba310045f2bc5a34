// Name and password; whoever has the house's token may also choose a role.

import { useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { wordsFor } from "../core/api.js";
import { ROLES } from "../core/roles.js";
import { html } from "../html.js";
import { knows, say } from "../texts.js";

/**
 * @param keeper SessionKeeper
 * @param why code of the text that says what the login is for
 * @param username what the field begins with
 */
export function LoginForm({ keeper, why, username = "" }) {
  const problem = useSignal(null);
  const isBusy = useSignal(false);
  const first = useRef(null);
  useLayoutEffect(() => first.current.focus(), []);
  const submit = async (event) => {
    event.preventDefault();
    if (isBusy.value) return;
    const form = event.currentTarget;
    isBusy.value = true;
    problem.value = null;
    try {
      await keeper.logIn(loginOf(new FormData(form)));
    } catch (found) {
      problem.value = found;
      form.elements.password.select();
    }
    isBusy.value = false;
  };
  return html`
    <form class="login" aria-labelledby="login-title" onSubmit=${submit}>
      <h2 id="login-title">${say("login.title")}</h2>
      <p>${say(why)}</p>
      <label class="field">
        <span>${say("login.name")}</span>
        <input ref=${first} name="username" required maxlength="40" pattern="[A-Za-z0-9_]+" title=${say("login.name_rule")} autocomplete="username" autocapitalize="none" spellcheck=${false} defaultValue=${username} />
      </label>
      <label class="field">
        <span>${say("login.password")}</span>
        <input name="password" type="password" maxlength="256" autocomplete="current-password" />
      </label>
      <${Elevation} />
      ${problem.value && html`<p class="field-error" role="alert">${refusal(problem.value)}</p>`}
      <button class="primary" disabled=${isBusy.value}>${say(isBusy.value ? "login.wait" : "login.enter")}</button>
    </form>
  `;
}

function Elevation() {
  return html`
    <details class="more">
      <summary>${say("login.token_more")}</summary>
      <label class="field">
        <span>${say("login.token")}</span>
        <input name="token" type="password" maxlength="256" autocomplete="off" />
      </label>
      <label class="field">
        <span>${say("login.role")}</span>
        <select name="role">
          ${ROLES.map((role) => html`<option key=${role} value=${role}>${say(`role.${role}`)}</option>`)}
        </select>
      </label>
    </details>
  `;
}

/** What was left empty is not sent; a role means nothing without a token. */
function loginOf(form) {
  const [username, password, token] = ["username", "password", "token"].map((name) => form.get(name));
  return {
    username: username.trim(),
    ...(password && { password }),
    ...(token && { token, role: form.get("role") }),
  };
}

const refusal = (problem) => say(wordsFor(problem, knows), problem.details ?? {});
