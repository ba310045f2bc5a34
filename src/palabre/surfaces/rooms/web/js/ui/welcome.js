// What stands in a channel where nobody has spoken yet: a way to begin.

import { html } from "../html.js";
import { say } from "../texts.js";

export function Welcome({ personas, write }) {
  const [first, ...others] = personas.keys();
  if (first === undefined) return null;
  const openings = [
    say("welcome.ask", { nick: first }),
    ...others.slice(0, 2).map((nick) => say("welcome.introduce", { nick })),
  ];
  return html`
    <section class="welcome">
      <h2>${say("welcome.title")}</h2>
      <p>${say("welcome.text")}</p>
      <ul class="openings">
        ${openings.map(
          (text) =>
            html`<li><button class="opening" onClick=${() => write(text)}>${text}</button></li>`,
        )}
      </ul>
      <p class="keys">${say("welcome.keys")}</p>
    </section>
  `;
}
