// The frame of every page: header, menu, who has logged in, and the login over what is there.

import { useEffect, useLayoutEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { PAGES, hashOf } from "../core/admin_route.js";
import { may } from "../core/roles.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { LoginForm } from "../ui/login_form.js";
import { ThemeSwitch } from "../ui/theme_switch.js";
import { Confirmation } from "./confirmation.js";
import { Lines } from "./lines.js";
import { Notice } from "./notice.js";
import { ProblemLine } from "./loaded.js";

/** Each page is loaded by those who look at it. */
const LOADERS = {
  overview: () => import("./overview.js"),
  personas: () => import("./personas.js"),
  history: () => import("./history.js"),
  media: () => import("./media.js"),
  analytics: () => import("./analytics.js"),
  errors: () => import("./errors.js"),
  audit: () => import("./audit.js"),
  users: () => import("./users.js"),
};

export function Administration({ api, keeper, route, preferences, switchLanguage }) {
  const last = useRef(null);
  const problem = useSignal(null);
  const look = () => keeper.look().then(() => (problem.value = null), (found) => (problem.value = found));
  useEffect(() => void look(), []);
  const session = keeper.session.value;
  if (session || keeper.hasLeft) last.current = session;
  const isShown = Boolean(last.current);
  return html`
    <div class="desk">
      <${Header} ...${{ keeper, preferences, switchLanguage }} />
      ${isShown && html`<${Menu} ...${{ route, session: last.current }} />`}
      <${Expiry} keeper=${keeper} />
      <main class="desk-page" id="page" tabindex="-1">
        ${problem.value && html`<${ProblemLine} problem=${problem.value} retry=${look} />`}
        ${isShown && html`<${Page} ...${{ api, keeper, route, session: last.current }} />`}
        ${session === null && !isShown && html`<${LoginForm} keeper=${keeper} why="login.why_admin" />`}
      </main>
      <${Notice} />
    </div>
    ${session === null && isShown && html`<${Comeback} ...${{ keeper, username: last.current.username }} />`}
    <${Confirmation} />
  `;
}

function Header({ keeper, preferences, switchLanguage }) {
  const session = keeper.session.value;
  return html`
    <header class="desk-head">
      <a class="skip" href="#page" onClick=${skip}>${say("admin.skip")}</a>
      <h1 class="brand"><a href="./">palabre</a></h1>
      <p class="tagline">${say("admin.tagline")}</p>
      <div class="switches">
        ${session && html`<${Whoami} ...${{ keeper, session }} />`}
        <a class="flat" href="./">${say("admin.to_chat")}</a>
        <button class="flat" aria-label=${say("language.switch")} title=${say("language.switch")} onClick=${switchLanguage}>
          ${language.value === "fr" ? "EN" : "FR"}
        </button>
        <${ThemeSwitch} preferences=${preferences} />
      </div>
    </header>
  `;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("page").focus();
}

function Whoami({ keeper, session }) {
  const problem = useSignal(null);
  const leave = () => keeper.logOut().catch((found) => (problem.value = found));
  const until = new Date(session.expiresAt).toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" });
  const data = { name: session.username, role: say(`role.${session.role}`), until };
  return html`
    <span class="whoami" title=${say("admin.session_until", data)}>
      <span class="whoami-name">${session.username}</span> <span class="tag">${data.role}</span>
    </span>
    <button class="flat" onClick=${leave}>${say("admin.log_out")}</button>
    ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
  `;
}

function Menu({ route, session }) {
  const pages = Object.keys(PAGES).filter((page) => may(session, PAGES[page]));
  const current = useRef(null);
  useLayoutEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [
    route.value.page,
  ]);
  return html`
    <nav class="menu" aria-label=${say("admin.menu")}>
      <ul>
        ${pages.map(
          (page) => html`
            <li key=${page}>
              <a
                class="tab"
                href=${hashOf(page)}
                ref=${page === route.value.page ? current : null}
                aria-current=${page === route.value.page ? "page" : null}
              >${say(`admin.page.${page}`)}</a>
            </li>
          `,
        )}
      </ul>
    </nav>
  `;
}

/** Says that the session is about to end, before it does. */
function Expiry({ keeper }) {
  const endsAt = keeper.endsAt.value;
  if (endsAt === null) return null;
  const at = new Date(endsAt).toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" });
  return html`
    <div class="expiry" role="alert">
      <span>${say("admin.ends_at", { at })}</span>
      <button class="flat strong" onClick=${() => keeper.lost()}>${say("admin.log_in_again")}</button>
    </div>
  `;
}

/** The login over a page that stays as it was, with what was typed in it. */
function Comeback({ keeper, username }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  return html`
    <dialog class="box" ref=${dialog} aria-labelledby="login-title" onCancel=${(event) => event.preventDefault()}>
      <${LoginForm} keeper=${keeper} why="login.why_again" username=${username} />
    </dialog>
  `;
}

/** Whoever comes to another place begins at its top; from the menu one goes on in the menu. */
function useArrival(place) {
  const last = useRef(place);
  useLayoutEffect(() => {
    if (last.current === place) return;
    last.current = place;
    const main = document.getElementById("page");
    main.scrollTop = 0;
    if (!document.activeElement.closest(".menu")) main.focus({ preventScroll: true });
  }, [place]);
}

function Page({ api, keeper, route, session }) {
  const parts = useSignal({});
  const failed = useSignal(false);
  const { page } = route.value;
  const isAllowed = may(session, PAGES[page]);
  const load = () => {
    if (!isAllowed || parts.value[page]) return;
    failed.value = false;
    LOADERS[page]().then(
      (part) => (parts.value = { ...parts.value, [page]: part.default }),
      () => (failed.value = true),
    );
  };
  useEffect(load, [page, isAllowed]);
  useArrival(`${page}/${route.value.id}`);
  if (!isAllowed) return html`<p class="empty">${say("problem.permission_denied")}</p>`;
  if (failed.value) return html`<${ProblemLine} problem=${{ status: 0, code: "offline" }} retry=${load} />`;
  const Part = parts.value[page];
  if (!Part) return html`<${Lines} />`;
  return html`<${Part} key=${page} ...${{ api, keeper, route, session }} />`;
}
