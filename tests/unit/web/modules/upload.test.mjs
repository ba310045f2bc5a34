import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CountingUrls,
  FakeRequest,
  FakeSocket,
  ManualTimers,
  MemoryPreferences,
  load,
  motd,
  settled,
} from "./support.mjs";

const { Client } = await load("client.js");
const { MAX_FILES, droppedFiles, hasFiles, objection, pastedFiles, shortName, sizeParts } =
  await load("core/files.js");
const { Tickets } = await load("core/tickets.js");
const { Uploads } = await load("core/uploads.js");
const { uploader } = await load("uploader.js");

const MIB = 1024 * 1024;
const file = (name, size, type = "") => new File([new Uint8Array(size)], name, { type });

// What is dropped, pasted, chosen -----------------------------------------------------------------

test("a picture of the clipboard is taken, and words win over the picture of them", () => {
  const picture = file("image.png", 3, "image/png");
  assert.deepEqual(pastedFiles({ types: ["Files"], files: [picture] }), [picture]);
  assert.deepEqual(pastedFiles({ types: ["text/plain", "Files"], files: [picture] }), []);
  assert.deepEqual(pastedFiles({ types: ["text/plain"], files: [] }), []);
  assert.deepEqual(pastedFiles(null), []);
});

test("a drop gives its files, and names its folders", () => {
  const [text, folder] = [file("a.txt", 3), file("photos", 4096)];
  const entry = (name, isDirectory) => ({ webkitGetAsEntry: () => ({ name, isDirectory }) });
  const items = [entry("a.txt", false), entry("photos", true)];
  const dropped = droppedFiles({ items, files: [text, folder] });
  assert.deepEqual(dropped, { files: [text], folders: ["photos"] });
});

test("words that are dragged are left to the browser", () => {
  assert.equal(hasFiles({ types: ["text/plain", "text/html"] }), false);
  assert.equal(hasFiles({ types: ["Files"] }), true);
  assert.equal(hasFiles(null), false);
});

test("exactly the limit passes, one byte more and nothing at all do not", () => {
  assert.equal(objection(file("a", 10), 10), null);
  assert.deepEqual(objection(file("a", 11), 10), {
    code: "upload.too_large",
    name: "a",
    size: 11,
    limit: 10,
  });
  assert.equal(objection(file("a", 0)).code, "upload.empty");
  assert.equal(objection({ name: "a", size: 12 * MIB }), null);
  assert.equal(objection({ name: "a", size: 12 * MIB + 1 }).code, "upload.too_large");
});

test("sizes are told so that too much never reads as the limit", () => {
  assert.deepEqual(sizeParts(12 * MIB, "en"), ["size.mb", "12"]);
  assert.deepEqual(sizeParts(12 * MIB + 1, "en"), ["size.mb", "12.1"]);
  assert.deepEqual(sizeParts(2000, "en"), ["size.kb", "2"]);
  assert.deepEqual(sizeParts(5, "fr"), ["size.bytes", "5"]);
  assert.deepEqual(sizeParts(0, "fr"), ["size.bytes", "0"]);
});

test("a long name keeps its end, which tells the kind", () => {
  const name = shortName(`${"a".repeat(300)}.txt`);
  assert.equal(name.length, 255);
  assert.ok(name.endsWith(".txt"));
});

// The ticket --------------------------------------------------------------------------------------

function ticketOffice(isOpen = true) {
  const [sent, timers] = [[], new ManualTimers()];
  const tickets = new Tickets((frame) => isOpen && sent.push(frame) > 0, timers);
  return { sent, timers, tickets };
}

test("a ticket is asked for once and used until the connection goes", async () => {
  const { sent, tickets } = ticketOffice();
  const [one, two] = [tickets.take(), tickets.take()];
  tickets.received({ ticket: "t1", maxBytes: 5 });
  assert.deepEqual(await Promise.all([one, two]), Array(2).fill({ ticket: "t1", maxBytes: 5 }));
  assert.equal((await tickets.take()).ticket, "t1");
  assert.deepEqual(sent, [{ type: "uploadTicket" }]);
  tickets.closed();
  tickets.take();
  assert.equal(sent.length, 2);
});

test("without a connection there is no ticket, and a lost one answers who waits", async () => {
  assert.equal(await ticketOffice(false).tickets.take(), "offline");
  const { tickets } = ticketOffice();
  const asked = tickets.take();
  tickets.closed();
  assert.equal(await asked, "offline");
});

test("a server that knows no tickets is understood, by its words or by its silence", async () => {
  const { tickets, timers } = ticketOffice();
  const refused = tickets.take();
  tickets.refused(null);
  assert.equal(await refused, null);
  const ignored = tickets.take();
  timers.advance(600_000);
  assert.equal(await ignored, null);
});

function connectedClient() {
  const socket = new FakeSocket();
  const client = new Client({
    openSocket: () => socket,
    preferences: new MemoryPreferences("Ada"),
    timers: new ManualTimers(),
    urls: new CountingUrls(),
  });
  client.connect();
  socket.opens();
  socket.says(motd("Ada"));
  return { client, socket };
}

test("the client hands the ticket on, and shows nothing of it", async () => {
  const { client, socket } = connectedClient();
  const before = client.room.value;
  const asked = client.tickets.take();
  socket.says({ type: "uploadTicket", ticket: "t9", maxBytes: 7 });
  assert.equal((await asked).ticket, "t9");
  assert.equal(client.room.value, before);
});

test("the words of a server that knows no tickets are not shown, later ones are", async () => {
  const { client, socket } = connectedClient();
  const before = client.room.value;
  const asked = client.tickets.take();
  const complaint = { type: "system", text: "Message invalide (format incorrect)." };
  socket.says(complaint);
  assert.equal(await asked, null);
  assert.equal(client.room.value, before);
  socket.says(complaint);
  assert.equal(client.log.value.lines.at(-1).text, complaint.text);
});

test("who sends too much is told so, and the ticket is asked for later", async () => {
  const { client, socket } = connectedClient();
  const asked = client.tickets.take();
  socket.says({ type: "system", text: "Trop de messages, attends un peu." });
  assert.equal(await asked, "busy");
  assert.match(client.log.value.lines.at(-1).text, /Trop de messages/);
});

// One file to the server --------------------------------------------------------------------------

function delivery({ tickets = [{ ticket: "t1", maxBytes: 99 }], answers = [] } = {}) {
  const [requests, frames, limits, forgotten] = [[], [], [], []];
  const deliver = uploader({
    tickets: { take: async () => tickets.shift(), forget: () => forgotten.push(true) },
    language: () => "fr",
    newRequest: () => requests[requests.push(new FakeRequest(answers.shift())) - 1],
    sendFrame: (frame) => frames.push(frame) > 0,
    readBase64: async (sent) => Buffer.from(await sent.arrayBuffer()).toString("base64"),
    learned: ({ maxBytes }) => limits.push(maxBytes),
  });
  const progress = [];
  const send = (purpose = "share", signal = new AbortController().signal) =>
    deliver(file("a.txt", 3, "text/plain"), purpose, {
      progress: (bytes) => progress.push(bytes),
      signal,
    });
  return { send, requests, frames, limits, forgotten, progress };
}

test("a file goes with its ticket, its purpose before it", async () => {
  const { send, requests, limits, progress } = delivery({
    answers: [{ status: 202, body: { ok: true } }],
  });
  assert.deepEqual(await send("speech"), { status: "sent" });
  const [request] = requests;
  assert.deepEqual(request.opened, ["POST", "api/v2/uploads?lang=fr"]);
  assert.equal(request.headers["x-upload-ticket"], "t1");
  assert.deepEqual([...request.form.keys()], ["purpose", "file"]);
  assert.equal(request.form.get("purpose"), "speech");
  assert.equal(request.form.get("file").name, "a.txt");
  assert.deepEqual(limits, [99]);
  assert.deepEqual(progress, [3]);
});

test("the server's sentence about a refusal is what is told", async () => {
  const body = { ok: false, error: "kind", message: "Type non pris en charge." };
  const { send } = delivery({ answers: [{ status: 415, body }] });
  assert.deepEqual(await send(), { status: "refused", message: body.message, httpStatus: 415 });
});

test("an unknown ticket is asked for anew, once", async () => {
  const unknown = { status: 401, body: { ok: false, error: "ticket_unknown", message: "?" } };
  const tickets = [{ ticket: "old" }, { ticket: "new" }];
  const { send, requests, forgotten } = delivery({
    tickets,
    answers: [unknown, { status: 202, body: {} }],
  });
  assert.equal((await send()).status, "sent");
  assert.deepEqual(
    requests.map(({ headers }) => headers["x-upload-ticket"]),
    ["old", "new"],
  );
  assert.equal(forgotten.length, 1);
  const again = delivery({
    tickets: [{ ticket: "a" }, { ticket: "b" }],
    answers: [unknown, unknown],
  });
  assert.deepEqual(await again.send(), { status: "refused", message: "?", httpStatus: 401 });
});

test("a busy server says how long to wait", async () => {
  const { send } = delivery({
    answers: [{ status: 429, body: { message: "Trop." }, waitS: "42" }],
  });
  assert.deepEqual(await send(), { status: "busy", message: "Trop.", waitS: 42 });
});

test("a lost connection is no refusal", async () => {
  assert.deepEqual(await delivery({ answers: [{ status: 0 }] }).send(), { status: "lost" });
  assert.deepEqual(await delivery({ tickets: ["offline"] }).send(), { status: "offline" });
});

for (const [how, given] of Object.entries({
  "without tickets": { tickets: [null] },
  "without uploads by HTTP": { answers: [{ status: 404, body: {} }] },
})) {
  test(`a server ${how} gets the frame of the seed`, async () => {
    const { send, frames } = delivery(given);
    assert.deepEqual(await send(), { status: "sent" });
    const frame = {
      type: "upload",
      filename: "a.txt",
      mimeType: "text/plain",
      data: "AAAA",
      size: 3,
    };
    assert.deepEqual(frames, [frame]);
  });
}

// Several files -----------------------------------------------------------------------------------

function queue({ isConnected = true } = {}) {
  const [sent, timers, urls] = [[], new ManualTimers(), new CountingUrls()];
  const state = { isConnected, items: [] };
  const deliver = (what, purpose, { progress, signal }) =>
    new Promise((end) => sent.push({ name: what.name, purpose, progress, signal, end }));
  const uploads = new Uploads({
    deliver,
    timers,
    urls,
    isConnected: () => state.isConnected,
    changed: (items) => (state.items = items),
  });
  const states = () => state.items.map(({ state: each }) => each);
  return { uploads, sent, timers, urls, state, states };
}

test("files go one after the other, and those that arrived leave the list", async () => {
  const { uploads, sent, timers, states } = queue();
  uploads.add([file("a", 4), file("b", 4)]);
  assert.deepEqual(states(), ["sending", "waiting"]);
  sent[0].end({ status: "sent" });
  await settled();
  assert.deepEqual(states(), ["sent", "sending"]);
  assert.deepEqual(
    sent.map(({ name }) => name),
    ["a", "b"],
  );
  timers.advance(3000);
  assert.deepEqual(states(), ["sending"]);
});

test("progress counts the file's bytes, and whole means that the server reads it", () => {
  const { uploads, sent, state } = queue();
  uploads.add([file("a", 100)]);
  sent[0].progress(40);
  assert.deepEqual([state.items[0].sent, state.items[0].state], [40, "sending"]);
  sent[0].progress(180);
  assert.deepEqual([state.items[0].sent, state.items[0].state], [100, "reading"]);
});

test("a file that is taken back is not sent, and the next one goes", async () => {
  const { uploads, sent, state, states } = queue();
  uploads.add([file("a", 4), file("b", 4)]);
  uploads.remove(state.items[0].id);
  assert.equal(sent[0].signal.aborted, true);
  assert.deepEqual(
    sent.map(({ name }) => name),
    ["a", "b"],
  );
  sent[0].end({ status: "lost" });
  await settled();
  assert.deepEqual(states(), ["sending"]);
});

test("a refused file says why, keeps its place and can be tried again", async () => {
  const { uploads, sent, state } = queue();
  uploads.add([file("a.exe", 4)]);
  sent[0].end({ status: "refused", message: "Non." });
  await settled();
  assert.deepEqual(state.items[0].problem, { name: "a.exe", message: "Non." });
  uploads.retry(state.items[0].id);
  assert.equal(sent.length, 2);
});

test("a busy server is waited for, and files behind keep their order", async () => {
  const { uploads, sent, timers, states } = queue();
  uploads.add([file("a", 4), file("b", 4)]);
  sent[0].end({ status: "busy", waitS: 20 });
  await settled();
  assert.deepEqual(states(), ["busy", "waiting"]);
  timers.advance(19_999);
  assert.equal(sent.length, 1);
  timers.advance(1);
  assert.deepEqual(
    sent.map(({ name }) => name),
    ["a", "a"],
  );
});

test("what is added without a connection goes when there is one", () => {
  const { uploads, sent, state, states } = queue({ isConnected: false });
  uploads.add([file("a", 4)]);
  assert.deepEqual([states(), sent.length], [["waiting"], 0]);
  state.isConnected = true;
  uploads.pump();
  assert.deepEqual(states(), ["sending"]);
});

test("what was cut off with the connection is sent again, but not what may have arrived", async () => {
  const { uploads, sent, state, states } = queue();
  uploads.add([file("a", 4)]);
  state.isConnected = false;
  sent[0].end({ status: "lost" });
  await settled();
  assert.deepEqual(states(), ["waiting"]);
  state.isConnected = true;
  uploads.pump();
  sent[1].progress(4);
  state.isConnected = false;
  sent[1].end({ status: "lost" });
  await settled();
  assert.deepEqual(state.items[0].problem, { name: "a", code: "upload.doubtful" });
});

test("too large and too many files are told, the others go", () => {
  const { uploads, sent, state } = queue();
  uploads.maxBytes = 10;
  uploads.add([file("big", 11), ...Array.from({ length: MAX_FILES }, (_, i) => file(`f${i}`, 1))]);
  assert.equal(sent[0].name, "f0");
  const problems = state.items.map(({ problem }) => problem?.code).filter(Boolean);
  assert.deepEqual(problems, ["upload.too_large", "upload.too_many"]);
  assert.equal(state.items.filter(({ problem }) => !problem).length, MAX_FILES - 1);
});

test("a picture is shown from its own bytes, freed when it leaves the list", () => {
  const { uploads, urls, state } = queue();
  uploads.add([file("a.png", 4, "image/png"), file("b.svg", 4, "image/svg+xml")]);
  assert.deepEqual(
    state.items.map(({ preview }) => preview),
    ["blob:1", null],
  );
  uploads.remove(state.items[0].id);
  assert.equal(urls.held.size, 0);
});
