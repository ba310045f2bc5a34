import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import {
  CountingUrls,
  FakeSocket,
  ManualTimers,
  MemoryPreferences,
  WEB,
  load,
  motd,
  source,
} from "./support.mjs";

const { Client } = await load("client.js");
const { PAPER, checkedColor, contrast, legible, nickStyle } = await load("core/color.js");
const { parseFrame } = await load("core/frames.js");
const { Preferences } = await load("preferences.js");
const { language, say, supportedLanguage } = await load("texts.js");
const texts = async (name) => (await import(new URL(`i18n/${name}.js`, WEB))).default;
const fr = { ...(await texts("fr")), ...(await texts("admin_fr")) };
const en = { ...(await texts("en")), ...(await texts("admin_en")) };

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";

function connected(nick = "Ada") {
  const sockets = [];
  const asked = [];
  const preferences = new MemoryPreferences(nick);
  const timers = new ManualTimers();
  const urls = new CountingUrls();
  const openSocket = (wish) => {
    asked.push(wish.nick);
    sockets.push(new FakeSocket());
    return sockets.at(-1);
  };
  const client = new Client({ openSocket, preferences, timers, urls });
  client.connect();
  sockets[0].opens();
  sockets[0].says(motd(nick ?? "user_1"));
  return { client, sockets, asked, preferences, timers, urls };
}

test("the remembered nick is asked for at each connection", () => {
  const { sockets, asked, timers } = connected("Ada");
  sockets[0].breaks();
  timers.advance(1000);
  assert.deepEqual(asked, ["Ada", "Ada"]);
});

test("a first visit asks for a nick, and a granted one is remembered", () => {
  const { client, sockets, preferences } = connected(null);
  assert.equal(client.asksNick.value, true);
  client.rename("Ida");
  assert.deepEqual(sockets[0].sent, [{ type: "command", text: "/nick Ida" }]);
  assert.equal(preferences.nick, null);
  sockets[0].says({ type: "system", text: "user_1 est maintenant connu(e) comme Ida" });
  assert.equal(preferences.nick, "Ida");
  assert.equal(client.asksNick.value, false);
});

test("where rooms want a session, no nick is to be chosen", () => {
  for (const [code, reason] of [[4401, "session_required"], [4401, "session_ended"], [4409, "name_of_persona"]]) {
    const { client, sockets } = connected(null);
    assert.equal(client.asksNick.value, true);
    sockets[0].breaks(code, reason);
    assert.equal(client.asksNick.value, false);
    assert.equal(client.namesAreGiven.value, true);
  }
});

test("a lost connection to open rooms leaves the choice of a nick", () => {
  const { client, sockets } = connected(null);
  sockets[0].breaks(1006);
  assert.equal(client.asksNick.value, true);
  assert.equal(client.namesAreGiven.value, false);
});

test("somebody else's new nick is not taken for one's own", () => {
  const { sockets, preferences } = connected("Ada");
  sockets[0].says({ type: "system", text: "Lea est maintenant connu(e) comme Zoe" });
  assert.equal(preferences.nick, "Ada");
});

test("a nick that was still taken is asked for again when it is free", () => {
  const { sockets } = connected("Ada");
  sockets[0].says(motd("user_7"));
  sockets[0].says({ type: "part", nick: "Lea", channel: "#general", text: "" });
  assert.deepEqual(sockets[0].sent, []);
  sockets[0].says({
    type: "part",
    nick: "Ada",
    channel: "#general",
    text: "Ada a quitte #general",
  });
  assert.deepEqual(sockets[0].sent, [{ type: "command", text: "/nick Ada" }]);
});

test("who was in another channel goes back there after a reconnection", () => {
  const { client, sockets, timers } = connected();
  client.join("#musique");
  sockets[0].says({ type: "channelInfo", channel: "#musique" });
  sockets[0].breaks();
  timers.advance(1000);
  sockets[1].opens();
  assert.deepEqual(sockets[1].sent, [{ type: "command", text: "/join #musique" }]);
});

test("a channel that the server chose is not joined again after a reconnection", () => {
  const { client, sockets, timers } = connected();
  sockets[0].says({ type: "channelInfo", channel: "#salon" });
  sockets[0].breaks();
  timers.advance(1000);
  sockets[1].opens();
  assert.deepEqual(sockets[1].sent, []);
  assert.equal(client.channel.value, "#salon");
});

test("the tab of the current channel sends nothing", () => {
  const { client, sockets } = connected();
  client.join("#general");
  assert.deepEqual(sockets[0].sent, []);
});

test("a picture is shown from its bytes and freed when its line goes", () => {
  const { client, sockets, urls } = connected();
  sockets[0].says({
    type: "image",
    nick: "Ada",
    text: "[Image]",
    imageData: PIXEL,
    imageMime: "image/png",
  });
  assert.equal(client.log.value.lines.at(-1).url, "blob:1");
  for (let index = 0; index < 499; index += 1)
    sockets[0].says({ type: "system", text: `n${index}` });
  assert.equal(urls.held.size, 1);
  sockets[0].says({ type: "system", text: "une de plus" });
  assert.equal(urls.held.size, 0);
});

test("a picture is freed when the log is cleared", () => {
  const { sockets, urls } = connected();
  sockets[0].says({
    type: "music",
    nick: "Ada",
    text: "",
    audioData: PIXEL,
    audioMime: "audio/wav",
  });
  sockets[0].says({ type: "system", text: "__clear__" });
  assert.equal(urls.held.size, 0);
});

test("media of another kind, or broken, is not shown", () => {
  const { client, sockets, urls } = connected();
  const image = (imageMime, imageData) => ({
    type: "image",
    nick: "Ada",
    text: "",
    imageMime,
    imageData,
  });
  for (const frame of [
    image("image/svg+xml", PIXEL),
    image("text/html", PIXEL),
    image("image/png", "%%%"),
  ]) {
    sockets[0].says(frame);
    assert.equal(client.log.value.lines.at(-1).url, null);
  }
  assert.equal(urls.held.size, 0);
});

test("frames of a wrong shape change nothing", () => {
  const { client, sockets } = connected();
  const before = client.room.value;
  const wrong = [
    "{",
    "null",
    "5",
    "[]",
    '"a"',
    "{}",
    { type: "message" },
    { type: "message", nick: 5, text: "a" },
  ];
  const more = [
    { type: "constructor" },
    { type: "userlist", users: [1] },
    { type: "chunk", nick: "", text: "a" },
  ];
  for (const frame of [...wrong, ...more, { type: "system", text: "a", replyId: {} }])
    sockets[0].says(frame);
  assert.equal(client.room.value, before);
});

test("unknown fields of a frame are left alone", () => {
  assert.ok(parseFrame('{"type":"system","text":"a","timestamp":5}'));
});

test("only #rrggbb is a colour", () => {
  assert.equal(checkedColor("#4FC3F7"), "#4fc3f7");
  for (const value of ["red", "#fff", "#12345g", "#4fc3f7;", "url(x)", null, 5, undefined]) {
    assert.equal(checkedColor(value), null);
  }
});

test("every nick can be read on both papers", () => {
  for (const color of [
    "#000000",
    "#ffffff",
    "#e0e0e0",
    "#888888",
    "#ffee58",
    "#0000ff",
    "#8d6e63",
    "#ab47bc",
  ]) {
    for (const paper of Object.values(PAPER))
      assert.ok(contrast(legible(color, paper), paper) >= 4.5, color);
  }
});

test("the papers that nicks are made for are those of the style sheet", () => {
  const css = source("css/theme.css");
  assert.ok(css.includes(`--raised: light-dark(#fbf8f0, ${PAPER.dark})`));
  assert.ok(css.includes(`--panel: light-dark(${PAPER.light}, #101813)`));
});

test("the words of both themes can be read on every background", () => {
  const css = source("css/theme.css");
  const pair = (name) =>
    css.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`)).slice(1, 3);
  for (const ink of ["ink", "faint", "accent", "mark", "wrong"]) {
    for (const paper of ["paper", "panel", "raised"]) {
      pair(ink).forEach((color, theme) => {
        assert.ok(contrast(color, pair(paper)[theme]) >= 4.5, `${ink} on ${paper}`);
      });
    }
  }
});

test("a nick without a colour is grey, and no other style can be given", () => {
  assert.deepEqual(Object.keys(nickStyle("x;position:fixed")), ["--nick-dark", "--nick-light"]);
});

test("both languages have the same texts and the same placeholders", () => {
  const holes = (texts) =>
    Object.entries(texts).map(([code, text]) => [code, (text.match(/\{\w+\}/g) ?? []).sort()]);
  assert.deepEqual(holes(fr), holes(en));
});

test("every text that the page asks for exists, and every text is asked for", () => {
  const names = readdirSync(new URL("js", WEB), { recursive: true }).filter((name) =>
    name.endsWith(".js"),
  );
  const code = names.map((name) => source(`js/${name}`)).join("\n");
  for (const name of Object.keys(fr)) {
    const stem = name.replace(/\.\w+$/, ".");
    assert.ok(code.includes(`"${name}"`) || code.includes(`\`${stem}\${`), name);
  }
  for (const [, asked] of code.matchAll(/say\("([\w.]+)"/g))
    assert.ok(Object.hasOwn(fr, asked), asked);
});

test("every state of the connection has its word", () => {
  for (const state of ["connected", "connecting", "reconnecting", "disconnected", "locked", "ended", "refused"])
    assert.ok(fr[`state.${state}`], state);
});

test("the browser's first language that there is, is taken", () => {
  assert.equal(supportedLanguage(["de-DE", "fr-CA", "en"]), "fr");
  assert.equal(supportedLanguage(["ja"]), "en");
});

test("texts are said in the chosen language", () => {
  language.value = "en";
  assert.equal(say("composer.label", { channel: "#general" }), "Message to #general");
  language.value = "fr";
  assert.equal(say("composer.label", { channel: "#general" }), "Message pour #general");
});

test("a browser that refuses storage remembers nothing and breaks nothing", () => {
  const preferences = new Preferences(() => {
    throw new Error("SecurityError");
  });
  preferences.nick = "Ada";
  assert.equal(preferences.nick, null);
});

test("no module of the page can write HTML or evaluate text", () => {
  const names = readdirSync(new URL("js", WEB), { recursive: true }).filter((name) =>
    name.endsWith(".js"),
  );
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|dangerouslySet/;
  for (const name of names) assert.doesNotMatch(source(`js/${name}`), forbidden, name);
});

test("the pages have no inline script or style", () => {
  for (const name of ["index.html", "admin.html"])
    assert.doesNotMatch(source(name), /<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
});

test("every style sheet and every file that the pages name is there", () => {
  for (const name of ["index.html", "admin.html"])
    for (const [, path] of source(name).matchAll(/(?:href|src)="web\/([^"]+)"/g))
      assert.ok(existsSync(new URL(path, WEB)), path);
});

/** What is loaded with `url`, by the imports that its module and theirs begin with. */
function loadedWith(url, found = new Set()) {
  if (found.has(url.href)) return found;
  found.add(url.href);
  const imports = /(?:^|;|\})\s*(?:import|export)[^;"'()]*?["'](\.[^"']+)["']/gm;
  for (const [, path] of readFileSync(url, "utf8").matchAll(imports))
    loadedWith(new URL(path, url), found);
  return found;
}

test("the page asks for all its modules at once, and for none that it needs later", () => {
  const main = new URL("js/main.js", WEB);
  const needed = [...loadedWith(main)].filter((href) => href !== main.href);
  const links = source("index.html").matchAll(/<link rel="modulepreload" href="web\/([^"]+)"/g);
  const asked = [...links].map(([, path]) => new URL(path, WEB).href);
  assert.deepEqual(asked.toSorted(), needed.toSorted());
  assert.ok(!asked.some((href) => /\/ui\/(gallery|login_form)|\/admin|uplot/.test(href)));
});
