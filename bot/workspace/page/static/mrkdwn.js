// Slack's mrkdwn → nodes. Only &amp; &lt; &gt; are entities; everything else is text and is set as text.
// https://docs.slack.dev/messaging/formatting-message-text

import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { formatDate } from "./dates.js";
import { mention } from "./people.js";

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
export const unescaped = (text) => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]);

const MARK = { "*": "strong", _: "em", "~": "s" };
const PIECE = new RegExp(
  [
    "```\\n?(?<fence>[\\s\\S]+?)\\n?```",
    "`(?<code>[^`\\n]+)`",
    "<(?<angle>[^<>\\n]+)>",
    ":(?<emoji>[a-z0-9_+-]+):",
    "(?<![\\p{L}\\p{N}*_~])(?<mark>[*_~])(?<marked>(?!\\s|\\k<mark>)[^\\n]*?[^\\s])\\k<mark>(?![\\p{L}\\p{N}])",
  ].join("|"),
  "gu",
);

export function mrkdwn(text, tz) {
  const nodes = [];
  let quote = null;
  for (const line of fencesWhole(text)) {
    const quoted = line.startsWith("&gt;");
    if (quoted && !quote) {
      quote = h("blockquote", { class: "quote" });
      nodes.push(quote);
    }
    if (!quoted) quote = null;
    const target = quote ? [] : nodes;
    target.push(...inline(quoted ? line.replace(/^&gt; ?/, "") : line, tz));
    if (quote) quote.append(...target);
  }
  return nodes;
}

// Lines with their ends; a fence is never cut in two.
function fencesWhole(text) {
  return text.match(/(?:```[\s\S]*?```|[^\n])*(?:\n|$)/g)?.filter((line) => line !== "") ?? [];
}

function inline(text, tz) {
  const nodes = [];
  let position = 0;
  for (const piece of text.matchAll(PIECE)) {
    if (piece.index > position) nodes.push(unescaped(text.slice(position, piece.index)));
    nodes.push(node(piece, tz));
    position = piece.index + piece[0].length;
  }
  if (position < text.length) nodes.push(unescaped(text.slice(position)));
  return nodes;
}

function node(piece, tz) {
  const { fence, code, angle, emoji: name, mark, marked } = piece.groups;
  if (fence !== undefined) return h("pre", { class: "preformatted" }, unescaped(fence));
  if (code !== undefined) return h("code", null, unescaped(code));
  if (angle !== undefined) return special(angle, tz);
  if (name !== undefined) return emoji(name) ?? piece[0];
  return h(MARK[mark], null, inline(marked, tz));
}

function special(angle, tz) {
  const [target, label] = angle.split(/\|(.*)/s);
  if (target.startsWith("@")) return mention(target.slice(1));
  if (target.startsWith("#")) return h("span", { class: "mention" }, `#${unescaped(label ?? target.slice(1))}`);
  if (target.startsWith("!date^")) return date(target, label, tz);
  if (target.startsWith("!")) return h("span", { class: "mention" }, `@${unescaped(label ?? target.slice(1))}`);
  return link(unescaped(target), label === undefined ? undefined : unescaped(label));
}

function date(target, fallback, tz) {
  const [, seconds, format, url] = target.split("^");
  const words = formatDate(Number(seconds), unescaped(format ?? ""), tz) ?? unescaped(fallback ?? "");
  return h("time", { title: unescaped(fallback ?? "") }, url ? link(unescaped(url), words) : words);
}
