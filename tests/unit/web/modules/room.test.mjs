import assert from "node:assert/strict";
import { test } from "node:test";
import { load, motd } from "./support.mjs";

const {
  EMPTY_ROOM,
  connecting,
  currentLog,
  disconnected,
  isAnswered,
  lookedAt,
  presence,
  received,
  sent,
  waiting,
} = await load("core/room.js");
const { MAX_LINES } = await load("core/log.js");

const AT = 1_700_000_000_000;
const COLOR = "#4fc3f7";

const after = (room, ...frames) => frames.reduce((next, frame) => received(next, frame, AT), room);
const begun = (nick = "Ada", wanted = nick) =>
  after(
    connecting(EMPTY_ROOM, wanted),
    motd(nick),
    { type: "persona", nick: "Schaeffer", color: COLOR },
    { type: "persona", nick: "Batty", color: "#ef5350" },
    { type: "userlist", users: [nick, "Schaeffer", "Batty"] },
  );
const says = (nick, text, more = {}) => ({
  type: "message",
  nick,
  text,
  color: "#e0e0e0",
  ...more,
});
const chunk = (nick, text, replyId) => ({
  type: "chunk",
  nick,
  text,
  color: COLOR,
  seq: 1,
  replyId,
});
const typing = (nick, replyId) => ({
  type: "system",
  text: `${nick} est en train d'ecrire...`,
  replyId,
});
const talk = (room) => currentLog(room).lines.filter((line) => line.kind === "message");
const growing = (room) => currentLog(room).replies.map((reply) => [reply.nick, reply.text]);

test("the greeting tells the client its nick", () => {
  assert.equal(begun("user_7", null).nick, "user_7");
});

test("a nick that the server did not give is told to the user", () => {
  const lines = currentLog(begun("user_7", "Batty")).lines;
  const notice = lines.find((line) => line.kind === "notice");
  assert.deepEqual(notice.data, { wanted: "Batty", nick: "user_7" });
});

test("chunks grow a reply, and the final message stands in its place", () => {
  const streaming = after(
    begun(),
    chunk("Schaeffer", "Xena", "r1"),
    chunk("Schaeffer", "kis", "r1"),
  );
  assert.deepEqual(growing(streaming), [["Schaeffer", "Xenakis"]]);
  const done = after(
    streaming,
    says("Schaeffer", "Xenakis a formalisé.", { replyId: "r1", seq: 9 }),
  );
  assert.deepEqual(growing(done), []);
  assert.deepEqual(
    talk(done).map((line) => line.text),
    ["Xenakis a formalisé."],
  );
});

test("chunks of a server that knows no reply ids are kept by nick", () => {
  const streaming = after(
    begun(),
    typing("Schaeffer"),
    chunk("Schaeffer", "a"),
    chunk("Schaeffer", "b"),
  );
  assert.deepEqual(growing(streaming), [["Schaeffer", "ab"]]);
  assert.deepEqual(growing(after(streaming, says("Schaeffer", "ab", { seq: 2 }))), []);
});

test("who comes in the middle of a reply is shown that its beginning lacks", () => {
  const late = { ...chunk("Batty", " larmes", "r1"), seq: 7 };
  assert.deepEqual(growing(after(begun(), late, { ...late, text: " dans", seq: 8 })), [
    ["Batty", "… larmes dans"],
  ]);
});

test("two replies at once grow apart", () => {
  const room = after(
    begun(),
    chunk("Schaeffer", "un ", "r1"),
    chunk("Batty", "deux ", "r2"),
    chunk("Schaeffer", "son", "r1"),
    chunk("Batty", "larmes", "r2"),
  );
  assert.deepEqual(growing(room), [
    ["Schaeffer", "un son"],
    ["Batty", "deux larmes"],
  ]);
  const half = after(room, says("Schaeffer", "un son", { replyId: "r1" }));
  assert.deepEqual(growing(half), [["Batty", "deux larmes"]]);
});

test("two replies of one persona are told apart by their ids", () => {
  const room = after(
    begun(),
    chunk("Batty", "a", "r1"),
    chunk("Batty", "b", "r2"),
    chunk("Batty", "c", "r1"),
  );
  assert.deepEqual(growing(room), [
    ["Batty", "ac"],
    ["Batty", "b"],
  ]);
  assert.deepEqual(growing(after(room, says("Batty", "b", { replyId: "r2" }))), [["Batty", "ac"]]);
});

test("the typing line is an indicator and not a line of the log", () => {
  const before = currentLog(begun()).lines.length;
  const room = after(begun(), typing("Schaeffer", "r1"));
  assert.equal(currentLog(room).lines.length, before);
  assert.deepEqual(growing(room), [["Schaeffer", ""]]);
  assert.deepEqual(growing(after(room, chunk("Schaeffer", "Oui", "r1"))), [["Schaeffer", "Oui"]]);
});

test("an English server's typing line is understood too", () => {
  const room = after(begun(), { type: "system", text: "Batty is typing...", replyId: "r1" });
  assert.deepEqual(growing(room), [["Batty", ""]]);
});

test("an error line ends the indicator, and what was said stays marked as cut", () => {
  const error = { type: "system", text: "Batty: erreur Ollama — connexion perdue" };
  const silent = after(begun(), typing("Batty"), error);
  assert.deepEqual(growing(silent), []);
  assert.equal(currentLog(silent).lines.at(-1).kind, "error");
  const cut = after(begun(), typing("Batty"), chunk("Batty", "J'ai vu"), error);
  assert.deepEqual(
    talk(cut).map(({ text, cut: isCut }) => [text, isCut]),
    [["J'ai vu", true]],
  );
});

test("a line about a reply ends it by its id", () => {
  const stopped = {
    type: "system",
    text: "Batty s'interrompt, a la demande de Ada.",
    replyId: "r1",
  };
  assert.deepEqual(growing(after(begun(), typing("Batty", "r1"), stopped)), []);
});

test("a line that only begins with a nick leaves the nick's reply alone", () => {
  const busy = {
    type: "system",
    text: "Batty a deja 3 reponses en attente: patiente, ou tape /stop.",
  };
  assert.deepEqual(growing(after(begun(), chunk("Batty", "a", "r1"), busy)), [["Batty", "a"]]);
});

test("a lost connection keeps what was being said, as cut", () => {
  const room = disconnected(
    after(begun(), chunk("Batty", "J'ai vu", "r1"), typing("Schaeffer", "r2")),
    AT,
  );
  assert.deepEqual(growing(room), []);
  assert.deepEqual(
    talk(room).map((line) => [line.nick, line.cut]),
    [["Batty", true]],
  );
});

test("a line about a reply that comes before its first word does not end it", () => {
  const loading = {
    type: "system",
    text: "Le modèle se télécharge (45 %), Batty répondra ensuite.",
    replyId: "r1",
    seq: 3,
  };
  const room = after(begun(), typing("Batty", "r1"), loading);
  assert.deepEqual(growing(room), [["Batty", ""]]);
  assert.equal(currentLog(room).lines.at(-1).text, loading.text);
  const grown = after(room, chunk("Batty", "J'ai", "r1"));
  assert.deepEqual(growing(grown), [["Batty", "J'ai"]]);
  const unannounced = after(begun(), loading, chunk("Batty", "J'ai", "r1"));
  assert.deepEqual(growing(unannounced), [["Batty", "J'ai"]]);
});

test("a persona that stays silent before its first word is not waited for", () => {
  const silent = { type: "system", text: "Batty reste silencieux : rien.", replyId: "r1", seq: 3 };
  assert.deepEqual(growing(after(begun(), typing("Batty", "r1"), silent)), []);
});

const unanswered = (room) => waiting(room).map((line) => line.text);
const answered = () =>
  after(sent(begun(), "un"), says("Ada", "un", { seq: 1 }), typing("Batty", "r1"));
const ends = says("Batty", "fini", { replyId: "r1", seq: 2 });

test("what was sent waits in sight until the server says it", () => {
  const room = sent(sent(answered(), "deux"), "trois");
  assert.deepEqual(unanswered(room), ["deux", "trois"]);
  const next = after(room, chunk("Batty", "oui", "r1"), ends, says("Ada", "deux ", { seq: 3 }));
  assert.deepEqual(unanswered(next), ["trois"]);
  assert.deepEqual(unanswered(after(next, says("Lea", "trois", { seq: 4 }))), ["trois"]);
  assert.deepEqual(unanswered(after(next, says("Ada", "trois", { seq: 5 }))), []);
});

test("the same words said twice wait twice", () => {
  const room = sent(sent(answered(), "oui"), "oui");
  assert.deepEqual(unanswered(after(room, says("Ada", "oui", { seq: 3 }))), ["oui"]);
});

test("a command waits in sight only while an answer holds it up", () => {
  assert.deepEqual(unanswered(sent(begun(), "/help")), []);
  const room = sent(answered(), "/help");
  assert.deepEqual(unanswered(room), ["/help"]);
  const told = after(room, { type: "system", text: "Lea est partie.", seq: 3 });
  assert.deepEqual(unanswered(told), ["/help"]);
  assert.deepEqual(unanswered(after(told, { type: "system", text: "=== Commandes ===" })), []);
  assert.deepEqual(unanswered(sent(answered(), "/stop")), []);
});

test("an answer to one alone takes no message from those that wait", () => {
  const room = sent(sent(answered(), "deux"), "/help");
  const told = after(room, { type: "system", text: "un avis" });
  assert.deepEqual(unanswered(told), ["deux", "/help"]);
});

test("what the server refuses waits no longer", () => {
  for (const text of ["Trop de messages — ralentis un peu.", "Too many messages are waiting: wait"]) {
    const room = after(sent(sent(answered(), "deux"), "trois"), { type: "system", text });
    assert.deepEqual(unanswered(room), ["deux"]);
  }
});

test("what still waited when the connection was lost is marked until the history has it", () => {
  const lost = disconnected(sent(sent(answered(), "deux"), "trois"), AT);
  const unsent = (room) =>
    currentLog(room)
      .lines.filter((line) => line.kind === "unsent")
      .map((line) => line.text);
  assert.deepEqual(unsent(lost), ["deux", "trois"]);
  assert.deepEqual(unanswered(lost), []);
  const back = after(
    connecting(lost, "Ada"),
    motd("Ada"),
    { type: "system", text: "--- Historique recent ---" },
    says("Ada", "[10:00] un"),
    says("Ada", "[10:01] deux"),
    { type: "system", text: "--- Fin de l'historique ---" },
  );
  assert.deepEqual(unsent(back), ["trois"]);
  assert.deepEqual(
    talk(back).map((line) => line.text),
    ["un", "deux"],
  );
});

test("a reply that was cut does not make the history come again", () => {
  const shown = after(begun(), says("Lea", "un", { seq: 1 }), chunk("Batty", "J'ai", "r1"));
  const back = after(connecting(disconnected(shown, AT), "Ada"), motd("Ada"), ...replay("[10:00] un"));
  assert.deepEqual(
    talk(back).map((line) => line.text),
    ["un", "J'ai"],
  );
});

test("who asks who is here reads it", () => {
  const list = { type: "userlist", users: ["Ada", "Lea", "Schaeffer", "Batty"] };
  const quiet = after(begun(), list);
  assert.equal(currentLog(quiet).lines.length, currentLog(begun()).lines.length);
  const asked = sent(begun(), "/who");
  const others = after(asked, { ...list, seq: 4 });
  assert.equal(currentLog(others).lines.at(-1).kind, "motd");
  const told = after(others, list, list);
  const { code, data } = currentLog(told).lines.at(-1);
  assert.deepEqual([code, data], ["who", { people: "Ada, Lea", personas: "Schaeffer, Batty" }]);
  assert.equal(currentLog(told).lines.filter((line) => line.code === "who").length, 1);
});

test("the banner is shown once, and who comes back is welcomed in a line", () => {
  const { lines } = currentLog(after(connecting(begun(), "Ada"), motd("Ada")));
  assert.equal(lines.filter((line) => line.kind === "motd" && !line.code).length, 1);
  assert.deepEqual([lines.at(-1).code, lines.at(-1).data], ["welcome.back", { nick: "Ada" }]);
});

test("only an answer to the user can be stopped", () => {
  const mine = after(begun(), says("Ada", "@Batty ?", { seq: 1 }), typing("Batty", "r1"));
  assert.equal(isAnswered(mine), true);
  const others = after(
    begun(),
    says("Ada", "salut"),
    says("Lea", "@Batty ?"),
    typing("Batty", "r1"),
  );
  assert.equal(isAnswered(others), false);
});

test("a chain that follows an answer to the user can be stopped too", () => {
  const answered = says("Schaeffer", "Demande à @Batty.", { replyId: "r1" });
  const room = after(begun(), says("Ada", "@Schaeffer ?"), answered, typing("Batty", "r2"));
  assert.equal(isAnswered(room), true);
});

test("one's own words from elsewhere are not counted as unread", () => {
  const room = after(lookedAt(begun(), true), says("Ada", "d'un autre onglet"));
  assert.equal(room.unread, 0);
  assert.equal(currentLog(room).dividerId, null);
});

test("the sentinel clears the log", () => {
  const room = after(begun(), says("Lea", "a"), { type: "system", text: "__clear__" });
  assert.deepEqual(currentLog(room).lines, []);
});

test("five hundred lines are kept, the newest", () => {
  const frames = Array.from({ length: 620 }, (_, index) => says("Lea", `n${index}`));
  const { lines } = currentLog(after(begun(), ...frames));
  assert.equal(lines.length, MAX_LINES);
  assert.equal(MAX_LINES, 500);
  assert.equal(lines[0].text, "n120");
  assert.equal(lines.at(-1).text, "n619");
});

test("people and personas are told apart, in the server's order", () => {
  const room = after(begun(), { type: "userlist", users: ["Zoe", "Ada", "Schaeffer", "Batty"] });
  assert.deepEqual(presence(room), { people: ["Zoe", "Ada"], personas: ["Schaeffer", "Batty"] });
});

test("join and part change who is here without a new list", () => {
  const joined = after(begun(), {
    type: "join",
    nick: "Lea",
    channel: "#general",
    text: "Lea a rejoint #general",
  });
  assert.deepEqual(presence(joined).people, ["Ada", "Lea"]);
  const parted = after(joined, {
    type: "part",
    nick: "Lea",
    channel: "#general",
    text: "Lea a quitte #general",
  });
  assert.deepEqual(presence(parted).people, ["Ada"]);
  assert.equal(currentLog(parted).lines.at(-1).kind, "part");
});

test("another channel has its own log, and its tab stays", () => {
  const room = after(
    sent(after(begun(), says("Lea", "ici")), "/join #musique"),
    { type: "join", nick: "Ada", channel: "#musique", text: "" },
    { type: "channelInfo", channel: "#musique" },
    says("Zoe", "la"),
  );
  assert.equal(room.channel, "#musique");
  assert.deepEqual(room.channels, ["#general", "#musique"]);
  assert.deepEqual(
    talk(room).map((line) => line.text),
    ["la"],
  );
  const back = after(room, { type: "channelInfo", channel: "#general" });
  assert.deepEqual(
    talk(back).map((line) => line.text),
    ["ici"],
  );
});

test("a server with another first channel says so, and what it told before was told there", () => {
  const room = after(begun(), says("Lea", "ici"), { type: "channelInfo", channel: "#salon" });
  assert.equal(room.channel, "#salon");
  assert.deepEqual(room.channels, ["#salon"]);
  assert.deepEqual(
    talk(room).map((line) => line.text),
    ["ici"],
  );
  const moved = after(sent(room, "/join #musique"), { type: "channelInfo", channel: "#musique" });
  assert.equal(moved.channel, "#musique");
  assert.equal(connecting(moved, "Ada").channel, "#salon");
});

test("a change of nick is followed", () => {
  const room = after(begun(), { type: "system", text: "Ada est maintenant connu(e) comme Ida" });
  assert.equal(room.nick, "Ida");
  assert.deepEqual(presence(room).people, ["Ida"]);
});

test("replayed history shows the hour it was said", () => {
  const room = after(begun(), ...replay("[10:02] bonjour"));
  assert.deepEqual(
    talk(room).map(({ clock, text }) => [clock, text]),
    [["10:02", "bonjour"]],
  );
});

test("after a reconnection the history does not repeat what is shown", () => {
  const shown = after(begun(), says("Lea", "un"), says("Lea", "deux"));
  const again = after(
    connecting(shown, "Ada"),
    motd("Ada"),
    ...replay("[10:01] un", "[10:02] deux", "[10:03] trois"),
  );
  assert.deepEqual(
    talk(again).map((line) => line.text),
    ["un", "deux", "trois"],
  );
  const nothingNew = after(shown, ...replay("[10:01] un", "[10:02] deux"));
  assert.equal(
    currentLog(nothingNew).lines.some((line) => line.code === "divider.history"),
    false,
  );
});

test("the room's own lines are replayed among the messages, and once", () => {
  const told = { type: "system", text: "[10:02] Lea a envoyé: a.txt (0.1 KB)" };
  const [opening, first, closing] = replay("[10:01] un");
  const later = says("Lea", "[10:03] trois");
  const room = after(begun(), opening, first, told, later, closing);
  const words = (each) => currentLog(each).lines.map((line) => line.text || line.code);
  assert.deepEqual(words(room).slice(-5), [
    "divider.history",
    "un",
    "Lea a envoyé: a.txt (0.1 KB)",
    "trois",
    "divider.now",
  ]);
  const again = after(connecting(room, "Ada"), motd("Ada"), opening, first, told, later, closing);
  assert.equal(words(again).filter((each) => each.includes("envoyé")).length, 1);
});

test("a message that begins with an hour is shown as it was written", () => {
  const room = after(begun(), says("Lea", "[10:02] rendez-vous", { seq: 4 }));
  assert.equal(talk(room)[0].text, "[10:02] rendez-vous");
});

test("messages that arrive while the window is hidden are marked and counted", () => {
  const away = lookedAt(after(begun(), says("Lea", "vu")), true);
  const room = after(away, says("Lea", "a"), says("Lea", "b"));
  assert.equal(room.unread, 2);
  const marked = currentLog(room).lines.find((line) => line.id === currentLog(room).dividerId);
  assert.equal(marked.text, "a");
  const back = lookedAt(room, false);
  assert.equal(back.unread, 0);
  assert.equal(currentLog(back).dividerId, currentLog(room).dividerId);
  assert.equal(currentLog(lookedAt(back, true)).dividerId, null);
});

test("the seconds of one long task are one line", () => {
  const tick = (seconds) => ({
    type: "system",
    text: `[compose] Generation en cours... ${seconds}s`,
  });
  const before = currentLog(begun()).lines.length;
  const { lines } = currentLog(after(begun(), tick(5), tick(10), tick(15)));
  assert.equal(lines.length, before + 1);
  assert.match(lines.at(-1).text, /15s$/);
});

test("a colour that is no #rrggbb is not used", () => {
  const evil = "red;background:url(//x)";
  const room = after(
    begun(),
    { type: "persona", nick: "Mal", color: evil },
    says("Mal", "a", { color: evil }),
  );
  assert.equal(room.personas.get("Mal"), null);
  assert.equal(talk(room)[0].color, null);
});

function replay(...texts) {
  return [
    { type: "system", text: "--- Historique recent ---" },
    ...texts.map((text) => says("Lea", text)),
    { type: "system", text: "--- Fin de l'historique ---" },
  ];
}
