// Throws away what is older than so many days.

import { html } from "../html.js";
import { say } from "../texts.js";
import { confirmed } from "./confirmation.js";
import { attempt, tell } from "./notice.js";

export function Sweep({ api, done }) {
  const submit = async (event) => {
    event.preventDefault();
    const days = Number(new FormData(event.currentTarget).get("days"));
    const words = say("admin.sweep.sure", { days });
    if (!(await confirmed(words, say("admin.sweep.go")))) return;
    await attempt(async () => {
      const { deleted } = await api.send("POST", "api/v2/admin/retention-sweep", { maxAgeDays: days });
      tell(say("admin.sweep.done", { count: deleted }));
      done();
    });
  };
  return html`
    <section class="card" aria-labelledby="sweep">
      <h3 id="sweep">${say("admin.sweep.title")}</h3>
      <form class="filters" onSubmit=${submit}>
        <label class="field short">
          <span>${say("admin.sweep.days")}</span>
          <input name="days" type="number" min="1" max="365" defaultValue="30" required />
        </label>
        <button class="secondary danger">${say("admin.sweep.go")}</button>
      </form>
    </section>
  `;
}
