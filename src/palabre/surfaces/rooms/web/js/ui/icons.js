// Signs of buttons, drawn in the colour of the text. Each button says in words what it does.

import { html } from "../html.js";

const icon = (shapes) => html`
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">${shapes}</svg>
`;

const line = (d) => html`<path d=${d} />`;

const SPEAKER = "M3 7.5h3l4-3.5v12l-4-3.5H3z";

export const Clip = () =>
  icon(line("M14.5 6v7.5a4.5 4.5 0 0 1-9 0V5.2a3 3 0 0 1 6 0v7.6a1.5 1.5 0 0 1-3 0V6"));
export const Microphone = () =>
  icon([
    line("M10 2.5a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0V5A2.5 2.5 0 0 1 10 2.5z"),
    line("M4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v3M7 18h6"),
  ]);
export const SoundOn = () =>
  icon([line(SPEAKER), line("M13 7a4 4 0 0 1 0 6M15.2 4.8a7.2 7.2 0 0 1 0 10.4")]);
export const SoundOff = () => icon([line(SPEAKER), line("M13 8l4.5 4.5M17.5 8L13 12.5")]);
export const Pictures = () =>
  icon([
    line("M2.5 4.5h15v11h-15z"),
    line("M2.5 13l4.5-4 3.5 3 3-2.5 4 3.5"),
    line("M12.5 7.5h1.5"),
  ]);
export const Again = () => icon(line("M6 4l10 6-10 6z"));
export const People = () =>
  icon([
    line("M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2.5-5 5.5-5s5.5 2 5.5 5"),
    line("M13 4a3 3 0 0 1 0 5.5M15 12.3c2 .8 3 2.5 3 4.7"),
  ]);
const THUMB = "M6 9l3.2-6.5c1.4 0 2.3 1 2.1 2.4L10.9 8h4.3c1.2 0 2 1.1 1.7 2.2l-1.4 5c-.2.8-.9 1.3-1.7 1.3H6zM3 9h3v7.5H3z";
export const ThumbUp = () => icon(line(THUMB));
export const ThumbDown = () => icon(html`<g transform="rotate(180 10 9.8)">${line(THUMB)}</g>`);
export const Pin = () => icon(line("M7 2.5h6M8 2.5l-.5 6L5 11.5h10l-2.5-3-.5-6M10 11.5v6"));
export const Page = () => icon(line("M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5"));
export const Cross = () => icon(line("M5 5l10 10M15 5L5 15"));
export const Paper = () =>
  icon([
    line("M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14z"),
    line("M10 3v14M10 6h4M10 9h6.5M10 12h6.5M10 15h4"),
  ]);
