// Block Kit → nodes: a row a block. `ctx` says where the blocks are: { tz, place, heading, values, errors };
// `heading` is the level of the heading above them.

import { h, link } from "./dom.js";
import { withEmoji } from "./emoji.js";
import { element } from "./elements.js";
import { markdown } from "./markdown.js";
import { richText } from "./rich_text.js";
import { words } from "./words.js";
import { unknown } from "./unknown.js";

export function renderBlocks(blocks, ctx) {
  return (blocks ?? []).map((block) => BLOCKS[block.type]?.(block, ctx) ?? unknown(block));
}

const BLOCKS = {
  __proto__: null,
  section: (block, ctx) =>
    h(
      "div",
      { class: block.accessory ? "section with-accessory" : "section" },
      h(
        "div",
        { class: "section-words" },
        block.text && h("div", { class: "text" }, words(block.text, ctx.tz)),
        block.fields &&
          h(
            "div",
            { class: "fields" },
            block.fields.map((field) => h("div", { class: "text" }, words(field, ctx.tz))),
          ),
      ),
      block.accessory && h("div", { class: "accessory" }, element(block.accessory, block, ctx)),
    ),
  header: (block, ctx) =>
    h(
      "div",
      { class: "block-header", role: "heading", "aria-level": String((block.level ?? 1) + ctx.heading) },
      withEmoji(block.text.text),
    ),
  divider: () => h("hr", { class: "block-divider" }),
  context: (block, ctx) =>
    h(
      "div",
      { class: "context" },
      block.elements.map((part) =>
        part.type === "image" ? picture(part, true) : h("span", null, words(part, ctx.tz)),
      ),
    ),
  actions: (block, ctx) =>
    h(
      "div",
      { class: "actions" },
      block.elements.map((part) => element(part, block, ctx)),
    ),
  context_actions: (block, ctx) =>
    h(
      "div",
      { class: "actions" },
      block.elements.map((part) => element(part, block, ctx)),
    ),
  image: (block) =>
    h("figure", { class: "image" }, block.title && h("figcaption", null, withEmoji(block.title.text)), picture(block)),
  rich_text: (block, ctx) => h("div", { class: "rich-text" }, richText(block, ctx.tz)),
  table: (block, ctx) => table(block, ctx),
  data_table: (block, ctx) => table(block, ctx, block.caption),
  markdown: (block) => h("div", { class: "markdown" }, markdown(block.text)),
  input: (block, ctx) => input(block, ctx),
  alert: (block, ctx) =>
    h("div", { class: `alert ${block.level ?? "default"}`, role: "note" }, words(block.text, ctx.tz)),
  container: (block, ctx) => container(block, ctx),
};

// Nothing is loaded from elsewhere: an image is its description and its address.
function picture(image, small) {
  const url = image.image_url ?? image.slack_file?.url;
  return h(
    "span",
    { class: small ? "picture small" : "picture" },
    h("span", { "aria-hidden": "true" }, "🖼 "),
    url ? link(url, image.alt_text) : image.alt_text,
  );
}

const CELLS = {
  __proto__: null,
  raw_text: (cell) => cell.text,
  raw_number: (cell) => cell.text ?? String(cell.value),
  rich_text: (cell, tz) => richText(cell, tz),
};

function table(block, ctx, caption) {
  const settings = block.column_settings ?? [];
  const css = (column) => {
    const { align, is_wrapped: wrapped } = settings[column] ?? {};
    return `align-${align ?? "left"}${wrapped ? " wrapped" : ""}`;
  };
  const row = (cells, tag) =>
    h(
      "tr",
      null,
      cells.map((cell, column) =>
        h(
          tag,
          { class: css(column), scope: tag === "th" ? "col" : null },
          CELLS[cell.type]?.(cell, ctx.tz) ?? unknown(cell),
        ),
      ),
    );
  const [head, ...rows] = block.rows;
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption ?? "Table" },
    h(
      "table",
      null,
      caption && h("caption", null, caption),
      h("thead", null, row(head, "th")),
      h(
        "tbody",
        null,
        rows.map((cells) => row(cells, "td")),
      ),
    ),
  );
}

function input(block, ctx) {
  const error = ctx.errors?.[block.block_id];
  const id = `input-${block.block_id}`;
  const described = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || null;
  const group = ["checkboxes", "radio_buttons"].includes(block.element.type);
  const label = [withEmoji(block.label.text), block.optional && h("span", { class: "optional" }, " (optional)")];
  return h(
    group ? "fieldset" : "div",
    { class: error ? "input-block failed" : "input-block", data: { block: block.block_id } },
    group ? h("legend", null, label) : h("label", { for: id }, label),
    element(block.element, block, {
      ...ctx,
      input: { id, described, failed: Boolean(error), required: !block.optional },
    }),
    block.hint && h("p", { class: "hint", id: `${id}-hint` }, withEmoji(block.hint.text)),
    error && h("p", { class: "input-error", id: `${id}-error` }, error),
  );
}

function container(block, ctx) {
  const title = block.title ? withEmoji(block.title.text) : richText(block.rich_text_title, ctx.tz);
  const inner = [
    block.subtitle && h("div", { class: "context" }, words(block.subtitle, ctx.tz)),
    renderBlocks(block.child_blocks, ctx),
  ];
  if (!block.is_collapsible)
    return h("div", { class: "container" }, h("div", { class: "container-title" }, title), inner);
  return h(
    "details",
    { class: "container", open: !block.default_collapsed },
    h("summary", { class: "container-title" }, title),
    inner,
  );
}
