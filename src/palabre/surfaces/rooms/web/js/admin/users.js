// Accounts: who may come in by a password, as what, and which sessions are going on.

import { useSignal } from "../../vendor/signals.js";
import { ROLES } from "../core/roles.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { confirmed } from "./confirmation.js";
import { Loaded, ProblemLine, useLoaded } from "./loaded.js";
import { attempt, tell } from "./notice.js";
import { when } from "./when.js";

const USERS = "api/admin/users";
const pathOf = (username) => `${USERS}/${encodeURIComponent(username)}`;

export default function Users({ api, keeper, session }) {
  const users = useLoaded(keeper, () => api.get(USERS));
  const sessions = useLoaded(keeper, () => api.get("api/admin/sessions"));
  const changed = () => {
    users.reload();
    sessions.reload();
  };
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head"><h2 id="page-title">${say("admin.page.users")}</h2></div>
      <${Loaded} from=${users}>${(list) =>
        list.length === 0
          ? html`<p class="empty">${say("admin.user.none")}</p>`
          : html`<ul class="entries">${list.map((user) => html`<li key=${user.username} class="entry-box"><${User} ...${{ api, user, changed, isMe: user.username === session.username }} /></li>`)}</ul>`}<//>
      <div class="cards">
        <${NewUser} ...${{ api, changed }} />
        <${Sessions} ...${{ api, sessions }} />
      </div>
    </section>
  `;
}

function RoleChoice({ name = "role", value, label, onChange }) {
  return html`
    <select name=${name} aria-label=${label} value=${value} onChange=${onChange}>
      ${ROLES.map((role) => html`<option key=${role} value=${role} selected=${role === value}>${say(`role.${role}`)}</option>`)}
    </select>
  `;
}

function User({ api, user, changed, isMe }) {
  const { username, role, createdAt } = user;
  const setRole = (wanted) => api.send("PUT", pathOf(username), { role: wanted });
  const chooseRole = async (event) => {
    const wanted = event.target.value;
    await attempt(async () => {
      await setRole(wanted);
      tell(say("admin.user.role_set", { username, role: say(`role.${wanted}`) }), async () => {
        await setRole(role);
        tell(say("admin.undone"));
        changed();
      });
    });
    changed();
  };
  const remove = async () => {
    if (!(await confirmed(say("admin.user.sure", { username }), say("admin.delete")))) return;
    await attempt(async () => {
      await api.send("DELETE", pathOf(username));
      tell(say("admin.user.removed", { username }));
    });
    changed();
  };
  return html`
    <div class="user-row">
      <p class="entry-head"><strong>${username}</strong> ${isMe && html`<span class="tag">${say("you")}</span>`} <span class="detail">${when(createdAt)}</span></p>
      <${RoleChoice} value=${role} label=${say("admin.user.role_of", { username })} onChange=${chooseRole} />
      <button class="flat" aria-label=${say("admin.user.remove", { username })} onClick=${remove}>${say("admin.delete")}</button>
    </div>
    <${Password} ...${{ api, username }} />
  `;
}

function Password({ api, username }) {
  const problem = useSignal(null);
  const submit = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    problem.value = null;
    try {
      await api.send("PUT", pathOf(username), { password: new FormData(form).get("password") });
      form.reset();
      tell(say("admin.user.password_set", { username }));
    } catch (found) {
      problem.value = found;
    }
  };
  return html`
    <details class="more">
      <summary>${say("admin.user.new_password")}</summary>
      <form class="filters" onSubmit=${submit}>
        <label class="field">
          <span>${say("admin.user.password")}</span>
          <input name="password" type="password" minlength="10" maxlength="256" required autocomplete="new-password" />
        </label>
        <button class="secondary">${say("admin.save")}</button>
        ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
      </form>
    </details>
  `;
}

function NewUser({ api, changed }) {
  const problem = useSignal(null);
  const submit = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    problem.value = null;
    try {
      const made = await api.send("POST", USERS, Object.fromEntries(new FormData(form)));
      form.reset();
      tell(say("admin.user.added", made));
      changed();
    } catch (found) {
      problem.value = found;
    }
  };
  return html`
    <section class="card" aria-labelledby="new-user">
      <h3 id="new-user">${say("admin.user.new")}</h3>
      <form class="form" onSubmit=${submit}>
        <label class="field">
          <span>${say("login.name")}</span>
          <input name="username" required maxlength="40" pattern="[A-Za-z0-9_]+" title=${say("login.name_rule")} autocomplete="off" autocapitalize="none" spellcheck=${false} />
        </label>
        <label class="field">
          <span>${say("admin.user.password")}</span>
          <input name="password" type="password" minlength="10" maxlength="256" required autocomplete="new-password" />
        </label>
        <label class="field"><span>${say("login.role")}</span><${RoleChoice} value="viewer" /></label>
        ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
        <button class="primary">${say("admin.user.add")}</button>
      </form>
    </section>
  `;
}

function Sessions({ api, sessions }) {
  const end = async ({ username, fingerprint }) => {
    if (!(await confirmed(say("admin.user.end_sure", { username }), say("admin.user.end")))) return;
    await attempt(async () => {
      await api.send("DELETE", `api/admin/sessions/${fingerprint}`);
      tell(say("admin.user.ended", { username }));
    });
    sessions.reload();
  };
  return html`
    <section class="card" aria-labelledby="sessions">
      <h3 id="sessions">${say("admin.user.sessions")}</h3>
      <${Loaded} from=${sessions}>${(list) => html`
        <ul class="entries">
          ${list.map(
            (each) => html`
              <li key=${each.fingerprint} class="entry-box user-row">
                <p class="entry-head"><strong>${each.username}</strong> <span class="tag">${say(`role.${each.role}`)}</span> ${each.isYours && html`<span class="tag">${say("you")}</span>`} <span class="detail">${say("admin.session_until_short", { until: when(each.expiresAt) })}</span></p>
                <button class="flat" aria-label=${say("admin.user.end_of", each)} onClick=${() => end(each)}>${say("admin.user.end")}</button>
              </li>
            `,
          )}
        </ul>
      `}<//>
    </section>
  `;
}
