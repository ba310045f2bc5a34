// Colours come from the server: they are checked, then made legible on each theme's paper.

const HEX = /^#[0-9a-f]{6}$/i;

/** The hardest backgrounds of css/theme.css for a nick: `--raised` when dark, `--panel` when light. */
export const PAPER = { dark: "#17221b", light: "#ebe4d1" };
export const NEUTRAL = "#888888";
const MIN_CONTRAST = 4.6;

/** `value` when it is a colour `#rrggbb`, else null. */
export function checkedColor(value) {
  return typeof value === "string" && HEX.test(value) ? value.toLowerCase() : null;
}

/** The colour of a nick for both themes, as CSS custom properties. */
export function nickStyle(color) {
  const base = checkedColor(color) ?? NEUTRAL;
  return {
    "--nick-dark": legible(base, PAPER.dark),
    "--nick-light": legible(base, PAPER.light),
  };
}

const cache = new Map();

/** `color`, moved towards white or black just enough to be read on `paper`. */
export function legible(color, paper) {
  const key = color + paper;
  if (!cache.has(key)) cache.set(key, moved(color, paper));
  return cache.get(key);
}

function moved(color, paper) {
  const goal = luminance(paper) < 0.2 ? 255 : 0;
  const channels = channelsOf(color);
  for (let step = 0; step <= 20; step += 1) {
    const mixed = channels.map((value) => Math.round(value + ((goal - value) * step) / 20));
    const candidate = `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
    if (contrast(candidate, paper) >= MIN_CONTRAST) return candidate;
  }
  return goal ? "#ffffff" : "#000000";
}

/** WCAG contrast ratio of two `#rrggbb` colours, 1 to 21. */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color) {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color) {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
