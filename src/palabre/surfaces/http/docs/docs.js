// Shows /openapi.json: every operation, what it needs, takes and answers.

import { h, render } from "../../web/vendor/preact.js";
import { useState } from "../../web/vendor/preact-hooks.js";
import htm from "../../web/vendor/htm.js";
import { operationsOf, outline } from "./outline.js";
import { language, words } from "./words.js";

const html = htm.bind(h);
const source = location.search === "?programs" ? "v1/openapi.json" : "openapi.json";

function Page({ api }) {
  const [wanted, want] = useState("");
  const shown = operationsOf(api).filter((each) => each.words.includes(wanted.trim().toLowerCase()));
  const tags = [...new Set(shown.map((each) => each.tag))];
  return html`
    <header>
      <h1>${api.info.title} ${api.info.version} · ${words.title}</h1>
      <p lang=en>${marked(api.info.description)}</p>
      <p><a href=${source}>${source}</a> (OpenAPI ${api.openapi})</p>
      <nav><a href="docs">Pages and people</a> · <a href="docs?programs">Programs with a key</a></nav>
      <label>${words.find} <input type="search" value=${wanted} onInput=${(event) => want(event.target.value)} /></label>
    </header>
    <main>
      ${tags.map((tag) => html`
        <section key=${tag}>
          <h2>${tag}</h2>
          ${shown.filter((each) => each.tag === tag).map((each) => html`<${Operation} key=${each.key} ...${each} api=${api} />`)}
        </section>`)}
      ${shown.length === 0 && html`<p>${words.none}</p>`}
    </main>`;
}

function Operation({ api, method, path, operation }) {
  return html`
    <details>
      <summary>
        <span class="method">${method}</span><span class="path">${path}</span>
        <span class="what" lang="en">${operation.summary}</span>
      </summary>
      <div class="body">
        ${operation.description && html`<p lang=en>${marked(operation.description)}</p>`}
        <p class="faint">${needs(operation)}</p>
        <${Parameters} api=${api} parameters=${operation.parameters ?? []} />
        ${operation.requestBody && html`<h3>${words.body}</h3><${Content} api=${api} content=${operation.requestBody.content} />`}
        <h3>${words.answers}</h3>
        ${Object.entries(operation.responses).map(([status, answer]) => html`
          <p key=${status} lang=en><code>${status}</code> ${marked(answer.description)}</p>
          <${Content} api=${api} content=${answer.content ?? {}} />`)}
      </div>
    </details>`;
}

function Parameters({ api, parameters }) {
  if (parameters.length === 0) return null;
  return html`
    <h3>${words.parameters}</h3>
    <table>
      <thead><tr>${words.columns.map((each) => html`<th key=${each}>${each}</th>`)}</tr></thead>
      <tbody>
        ${parameters.map((each) => html`
          <tr key=${each.in + each.name}>
            <td><code>${each.name}${each.required ? " *" : ""}</code></td>
            <td>${each.in}</td>
            <td><code>${outline(api, each.schema)}</code> ${marked(each.description)}</td>
          </tr>`)}
      </tbody>
    </table>`;
}

function Content({ api, content }) {
  return Object.entries(content).map(([type, { schema }]) => html`
    <div key=${type}><span class="faint">${type}</span>${schema && html`<pre>${outline(api, schema)}</pre>`}</div>`);
}

// What stands between backticks is code.
function marked(said = "") {
  return said.split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));
}

function needs(operation) {
  if (operation.security?.some((each) => "key" in each)) return keyFor(operation);
  const needed = operation.security?.length ? words.needs(operation["x-permission"]) : words.open;
  return operation["x-admin-network"] ? `${needed} ${words.network}` : needed;
}

function keyFor(operation) {
  const scope = operation["x-scope"] ? `a key of the scope ${operation["x-scope"]}` : "any key";
  const refused = operation["x-refused"] ?? [];
  return `Needs ${scope}.${refused.length ? ` Refused: ${refused.join(", ")}.` : ""}`;
}

document.documentElement.lang = language;
const place = document.getElementById("docs");
try {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source}: ${answer.status}`);
  render(html`<${Page} api=${await answer.json()} />`, place);
} catch (problem) {
  place.textContent = words.problem(problem.message);
}
