// rich_text blocks: one table for its parts, one for the leaves in them.

import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { formatDate } from "./dates.js";
import { mention } from "./people.js";
import { unknown } from "./unknown.js";

const PARTS = {
  __proto__: null,
  rich_text_section: (part, tz) => h("div", { class: "rich-section" }, leaves(part, tz)),
  rich_text_quote: (part, tz) => h("blockquote", { class: "quote" }, leaves(part, tz)),
  rich_text_preformatted: (part, tz) => h("pre", { class: "preformatted", tabindex: "0" }, leaves(part, tz)),
  rich_text_list: (part, tz) =>
    h(
      part.style === "ordered" ? "ol" : "ul",
      { class: `rich-list indent-${Math.min(part.indent ?? 0, 8)}`, start: part.offset ? part.offset + 1 : null },
      part.elements.map((item) => h("li", null, leaves(item, tz))),
    ),
};

const LEAVES = {
  __proto__: null,
  text: (leaf) => leaf.text,
  link: (leaf) => link(leaf.url, leaf.text || leaf.url),
  emoji: (leaf) => emoji(leaf.name) ?? fromCode(leaf.unicode) ?? `:${leaf.name}:`,
  user: (leaf) => mention(leaf.user_id),
  usergroup: (leaf) => h("span", { class: "mention" }, `@${leaf.usergroup_id}`),
  channel: (leaf) => h("span", { class: "mention" }, `#${leaf.channel_id}`),
  broadcast: (leaf) => h("span", { class: "mention" }, `@${leaf.range}`),
  color: (leaf) => h("code", null, leaf.value),
  date: (leaf, tz) => {
    const words = formatDate(leaf.timestamp, leaf.format, tz) ?? leaf.fallback ?? "";
    return h("time", { title: leaf.fallback ?? "" }, leaf.url ? link(leaf.url, words) : words);
  },
};
const STYLES = { bold: "strong", italic: "em", strike: "s", underline: "u", code: "code" };

export const richText = (block, tz) =>
  (block.elements ?? []).map((part) => PARTS[part.type]?.(part, tz) ?? unknown(part));

const leaves = (part, tz) =>
  (part.elements ?? []).map((leaf) =>
    leaf.type in LEAVES ? styled(leaf, LEAVES[leaf.type](leaf, tz)) : unknown(leaf),
  );

const styled = (leaf, node) =>
  Object.entries(STYLES).reduce((inner, [name, tag]) => (leaf.style?.[name] ? h(tag, null, inner) : inner), node);

function fromCode(unicode) {
  return unicode ? String.fromCodePoint(...unicode.split("-").map((part) => parseInt(part, 16))) : null;
}
