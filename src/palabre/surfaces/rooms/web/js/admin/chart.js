// Counts of days as bars. Readers have the table below it.

import { useEffect, useRef } from "../../vendor/preact-hooks.js";
import uPlot from "../../vendor/uplot.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";

const HEIGHT_PX = 240;
const HALF_A_DAY_S = 43_200;

/** @param series [seconds since 1970, counts] */
export function Chart({ series, label }) {
  const place = useRef(null);
  const key = JSON.stringify([series, language.value]);
  useEffect(() => {
    if (series[0].length === 0) return undefined;
    const chart = drawn(place.current, series, label);
    const sizes = new ResizeObserver(([{ contentRect }]) => chart.setSize({ width: contentRect.width, height: HEIGHT_PX }));
    const looks = new MutationObserver(() => chart.redraw());
    sizes.observe(place.current);
    looks.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      looks.disconnect();
      chart.destroy();
    };
  }, [key]);
  if (series[0].length === 0) return html`<p class="empty">${say("admin.analytics.none")}</p>`;
  return html`<div class="chart" ref=${place} role="img" aria-label=${say("admin.analytics.chart", { label })}></div>`;
}

function drawn(place, series, label) {
  // Read at each drawing: the theme may have changed.
  const ink = (name) => () => getComputedStyle(place).getPropertyValue(name);
  const axis = { stroke: ink("color"), grid: { stroke: ink("outline-color"), width: 1 }, ticks: { show: false }, font: '13px "Plex Mono", monospace' };
  const dates = new Intl.DateTimeFormat(language.value, { day: "numeric", month: "short", timeZone: "UTC" });
  const said = (seconds) => dates.format(new Date(seconds * 1000));
  return new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT_PX,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: true },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: { x: { time: true, range: () => [series[0][0] - HALF_A_DAY_S, series[0].at(-1) + HALF_A_DAY_S] }, y: { range: (_, __, most) => [0, Math.max(5, most * 1.1)] } },
      axes: [
        { ...axis, space: 70, values: (_, splits) => splits.map(said), incrs: [1, 2, 5, 7, 14, 30, 90, 365].map((days) => days * 86_400) },
        { ...axis, size: 56, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] },
      ],
      series: [
        { label: say("admin.analytics.day"), value: (_, seconds) => (seconds === null ? "—" : said(seconds)) },
        { label, value: (_, count) => (count === null ? "—" : String(count)), stroke: ink("border-top-color"), fill: ink("border-top-color"), paths: uPlot.paths.bars({ size: [0.7, 48] }), points: { show: false } },
      ],
    },
    series,
    place,
  );
}
