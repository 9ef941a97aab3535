// The `markdown` block: the Markdown that Slack shows there, line by line. Headings are all of one size, as in Slack.

import { h, link } from "./dom.js";

const PIECE = new RegExp(
  [
    "`([^`\\n]+)`", // code
    "!?\\[([^\\]\\n]*)\\]\\(([^()\\s]+)\\)", // a link, or an image as one
    "\\*\\*(\\S(?:[^\\n]*?\\S)?)\\*\\*", // strong
    "~~(\\S(?:[^\\n]*?\\S)?)~~", // struck out
    "(?<![\\w*])[*_](\\S(?:[^*_\\n]*?\\S)?)[*_](?![\\w*])", // emphasis
    "(https?://[^\\s<>()]+)",
  ].join("|"),
  "g",
);

function inline(text) {
  const nodes = [];
  let position = 0;
  for (const piece of text.matchAll(PIECE)) {
    const [whole, code, label, target, strong, struck, em, url] = piece;
    nodes.push(text.slice(position, piece.index));
    if (code) nodes.push(h("code", null, code));
    else if (target) nodes.push(link(target, label || target));
    else if (url) nodes.push(link(url));
    else nodes.push(h(strong ? "strong" : struck ? "s" : "em", null, inline(strong ?? struck ?? em)));
    position = piece.index + whole.length;
  }
  nodes.push(text.slice(position));
  return nodes;
}

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => inline(cell.trim()));

// Rows: what a line begins a group with, and how the group's lines become a node.
const GROUPS = [
  [/^#{1,6} /, (lines) => lines.map((line) => h("p", { class: "markdown-heading" }, inline(line.replace(/^#+ /, ""))))],
  [
    /^> ?/,
    (lines) => h("blockquote", { class: "quote" }, markdown(lines.map((line) => line.replace(/^> ?/, "")).join("\n"))),
  ],
  [
    /^\s*[-*+] /,
    (lines) =>
      h(
        "ul",
        { class: "rich-list" },
        lines.map((line) => h("li", null, inline(line.replace(/^\s*[-*+] /, "")))),
      ),
  ],
  [
    /^\s*\d+[.)] /,
    (lines) =>
      h(
        "ol",
        { class: "rich-list" },
        lines.map((line) => h("li", null, inline(line.replace(/^\s*\d+[.)] /, "")))),
      ),
  ],
  [/^\|/, (lines) => table(lines)],
  [/^(?:---+|\*\*\*+)\s*$/, () => h("hr")],
  [/^\s*$/, () => []],
  [/^/, (lines) => h("p", null, inline(lines.join("\n")))],
];

function table(lines) {
  const [head, , ...rows] = lines.map(cells);
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table" },
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          head.map((cell) => h("th", { scope: "col" }, cell)),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((row) =>
          h(
            "tr",
            null,
            row.map((cell) => h("td", null, cell)),
          ),
        ),
      ),
    ),
  );
}

export function markdown(text) {
  return text
    .split(/^(```[\s\S]*?^```\s*$)/m)
    .flatMap((part) =>
      part.startsWith("```")
        ? h("pre", { class: "preformatted", tabindex: "0" }, part.replace(/^```.*\n?|\n?```\s*$/g, ""))
        : prose(part),
    );
}

function prose(text) {
  const nodes = [];
  let lines = [];
  let group = null;
  const end = () => lines.length && nodes.push(group[1](lines));
  for (const line of text.split("\n")) {
    const next = GROUPS.find(([begins]) => begins.test(line));
    if (next !== group) {
      end();
      [group, lines] = [next, []];
    }
    lines.push(line);
  }
  end();
  return nodes.flat();
}
