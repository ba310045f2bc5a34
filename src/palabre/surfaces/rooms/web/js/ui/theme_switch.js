// From the dark paper to the light one and back.

import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Paper } from "./icons.js";

export function ThemeSwitch({ preferences }) {
  const theme = useSignal(currentTheme());
  const other = theme.value === "dark" ? "light" : "dark";
  const change = () => {
    theme.value = other;
    preferences.theme = other;
    document.documentElement.dataset.theme = other;
  };
  return html`
    <button class="flat short-switch" aria-label=${say(`theme.switch.${other}`)} title=${say(`theme.switch.${other}`)} onClick=${change}>
      <${Paper} /><span class="switch-word">${say(`theme.to.${other}`)}</span>
    </button>
  `;
}

function currentTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return document.documentElement.dataset.theme ?? system;
}
