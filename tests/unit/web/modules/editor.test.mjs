import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { Editor } = await load("ui/editor.js");
const { EMPTY_ROOM } = await load("core/room.js");

/** A text field as far as the editor uses one. */
class Field {
  value = "";
  selectionStart = 0;
  selectionEnd = 0;
  style = {};
  scrollHeight = 20;
  focus() {}
  setSelectionRange(start, end) {
    this.selectionStart = start;
    this.selectionEnd = end;
  }
}

function editing(text = "") {
  const said = [];
  const pages = [];
  const client = {
    isConnected: { value: true },
    room: { value: { ...EMPTY_ROOM, users: ["Batty", "Bach"] } },
    say: (line) => said.push(line) > 0,
  };
  const scrollLog = (by) => pages.push(by);
  const editor = new Editor({ client, commands: { value: [] }, scrollLog });
  editor.field.current = new Field();
  editor.replace(text);
  return { editor, client, said, pages };
}

/** Press a key; whether the browser may still act on it. */
function press(editor, key, more = {}) {
  let left = true;
  editor.pressed({ key, preventDefault: () => (left = false), ...more });
  return left;
}

test("Enter sends the line and empties the field, Shift+Enter is the browser's", () => {
  const { editor, said } = editing("bonjour");
  assert.equal(press(editor, "Enter", { shiftKey: true }), true);
  assert.equal(press(editor, "Enter"), false);
  assert.deepEqual(said, ["bonjour"]);
  assert.equal(editor.text.value, "");
});

test("without a connection the line stays", () => {
  const { editor, client, said } = editing("bonjour");
  client.isConnected.value = false;
  press(editor, "Enter");
  assert.deepEqual(said, []);
  assert.equal(editor.text.value, "bonjour");
});

test("the arrows recall what was sent, from the first and the last line only", () => {
  const { editor } = editing("un");
  press(editor, "Enter");
  editor.replace("deux\nlignes");
  assert.equal(press(editor, "ArrowUp"), true);
  editor.field.current.setSelectionRange(0, 0);
  assert.equal(press(editor, "ArrowUp"), false);
  assert.equal(editor.text.value, "un");
  press(editor, "ArrowDown");
  assert.equal(editor.text.value, "deux\nlignes");
});

test("Tab walks through the nicks, and after Escape leaves the field", () => {
  const { editor } = editing("@ba");
  press(editor, "Tab");
  const first = editor.text.value;
  press(editor, "Tab");
  assert.deepEqual([first, editor.text.value].sort(), ["@Bach ", "@Batty "]);
  press(editor, "Escape");
  assert.equal(press(editor, "Tab"), true);
});

test("a mention is written where the caret is", () => {
  const { editor } = editing("dis, tu viens");
  editor.field.current.setSelectionRange(4, 4);
  editor.mention("Batty");
  assert.equal(editor.text.value, "dis, @Batty tu viens");
});

test("the page keys scroll the log", () => {
  const { editor, pages } = editing();
  press(editor, "PageUp");
  press(editor, "PageDown");
  assert.deepEqual(pages, [-1, 1]);
});

test("keys that belong to an input method are left alone", () => {
  const { editor, said } = editing("にほ");
  assert.equal(press(editor, "Enter", { isComposing: true }), true);
  assert.deepEqual(said, []);
});
