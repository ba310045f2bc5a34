import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { commandFor, loadShelf, piecesOf } = await load("core/gallery.js");

const ROW = {
  id: "i1",
  type: "image",
  prompt: " un phare ",
  nick: "Ada",
  channel: "#general",
  createdAt: "2026-05-04T10:00:00Z",
  mime: "image/png",
  filename: "a b.png",
};

const answer = (status, body) => async () => new Response(JSON.stringify(body), { status });

test("a piece is read with its address", () => {
  const [piece] = piecesOf({ ok: true, data: [ROW] }, "images");
  assert.equal(piece.url, "api/v2/media/images/a%20b.png");
  assert.equal(piece.prompt, "un phare");
  assert.equal(piece.at, Date.UTC(2026, 4, 4, 10));
});

test("a name cannot lead out of the shelf", () => {
  const [piece] = piecesOf({ data: [{ ...ROW, filename: "../../../x?y#z" }] }, "audio");
  assert.equal(piece.url, "api/v2/media/audio/..%2F..%2F..%2Fx%3Fy%23z");
});

test("rows without a file, and fields of a wrong kind, break nothing", () => {
  const rows = [
    null,
    5,
    {},
    { filename: 5 },
    { filename: "a.png", prompt: 5, nick: {}, createdAt: "?" },
  ];
  const pieces = piecesOf({ data: rows }, "images");
  assert.deepEqual(
    pieces.map(({ id, prompt, nick, at }) => [id, prompt, nick, at]),
    [["a.png", "", "", null]],
  );
  for (const body of [null, [], {}, { data: "x" }]) assert.deepEqual(piecesOf(body, "images"), []);
});

test("a piece is asked for again by its command", () => {
  assert.equal(commandFor("images", { prompt: "un phare" }), "/imagine un phare");
  assert.equal(commandFor("audio", { prompt: "la mer" }), "/compose la mer");
});

test("a server without a gallery, and one that fails, are told apart", async () => {
  assert.deepEqual(await loadShelf(answer(404, {}), "images"), { problem: "gallery.absent" });
  assert.deepEqual(await loadShelf(answer(500, {}), "images"), { problem: "gallery.failed" });
  const offline = () => Promise.reject(new TypeError("offline"));
  assert.deepEqual(await loadShelf(offline, "images"), { problem: "gallery.failed" });
  const garbage = async () => new Response("<html>");
  assert.deepEqual(await loadShelf(garbage, "images"), { problem: "gallery.failed" });
});

test("a shelf is asked for at its address", async () => {
  const asked = [];
  const fetcher = (url) => (asked.push(url), answer(200, { ok: true, data: [ROW] })());
  const { pieces } = await loadShelf(fetcher, "audio");
  assert.deepEqual([asked, pieces.length], [["api/v2/media/audio"], 1]);
});
