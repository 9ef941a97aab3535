// JSON for reading: the same text that JSON.stringify gives, with its kinds of words in colours.

import { h } from "./dom.js";

const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;
const MOST = 200_000; // characters that are coloured

export function pretty(value, label) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  const words = text.length > MOST ? [text] : coloured(text);
  return h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": label ?? "JSON" }, words);
}

function coloured(text) {
  const nodes = [];
  let position = 0;
  for (const piece of text.matchAll(PIECE)) {
    nodes.push(text.slice(position, piece.index), ...drawn(piece));
    position = piece.index + piece[0].length;
  }
  nodes.push(text.slice(position));
  return nodes;
}

function drawn([whole, string, colon]) {
  if (colon) return [h("span", { class: "json-key" }, string), colon];
  return [h("span", { class: string ? "json-string" : "json-atom" }, whole)];
}

// A line that opens; what is under it is made when it does.
export function opening(given, head, body, headGiven) {
  const node = h("details", given, h("summary", headGiven, head));
  const make = () =>
    node.open && node.childElementCount === 1 && node.append(...[body()].flat(Infinity).filter(Boolean));
  node.addEventListener("toggle", make);
  make();
  return node;
}

export function copyButton(text, words = "Copy") {
  const button = h("button", { class: "small-button", type: "button" }, words);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => button.replaceChildren(words), 1500);
  });
  return button;
}
