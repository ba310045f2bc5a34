// The name, and the switches for language, theme and the list of who is here.

import { html } from "../html.js";
import { language, say } from "../texts.js";
import { People, Pictures } from "./icons.js";
import { ThemeSwitch } from "./theme_switch.js";
import { VoiceSwitch } from "./voice_panel.js";

export function Header({ client, preferences, switchLanguage, drawer, voice, route }) {
  return html`
    <header class="head">
      <h1 class="brand">palabre<span class="brand-cursor" aria-hidden="true"></span></h1>
      <p class="tagline">${say("app.tagline")}</p>
      <div class="switches">
        <button class="flat" aria-label=${say("language.switch")} title=${say("language.switch")} onClick=${switchLanguage}>
          ${language.value === "fr" ? "EN" : "FR"}
        </button>
        <${GalleryLink} route=${route} />
        <${VoiceSwitch} voice=${voice} />
        <${ThemeSwitch} preferences=${preferences} />
        <${DrawerSwitch} ...${{ client, drawer }} />
      </div>
    </header>
  `;
}

function GalleryLink({ route }) {
  const isOpen = route.isGallery.value;
  return html`
    <a
      class="flat icon-switch"
      href=${isOpen ? "#" : "#gallery"}
      aria-label=${say("gallery.title")}
      title=${say("gallery.title")}
      aria-current=${isOpen ? "page" : null}
    >
      <${Pictures} />
    </a>
  `;
}

function DrawerSwitch({ client, drawer }) {
  const open = () => (drawer.value = !drawer.value);
  const count = client.users.value.length;
  return html`
    <button
      class="flat drawer-switch short-switch"
      aria-label=${say("nicks.open", { count })}
      aria-expanded=${drawer.value}
      aria-controls="nicks"
      onClick=${open}
    >
      <${People} /><span class="switch-word">${say("nicks.open", { count })}</span><span class="switch-count">${count}</span>
    </button>
  `;
}
