// Interactive elements: a row a type. In a form (`ctx.values`) they keep a value until the modal is submitted;
// elsewhere using one tells the app at once.

import { act } from "./api.js";
import { confirmed } from "./confirm.js";
import { instant, wall } from "./dates.js";
import { h, safeAddress, toast } from "./dom.js";
import { withEmoji } from "./emoji.js";
import { openMenu } from "./menu.js";
import { store } from "./store.js";
import { unknown } from "./unknown.js";
import { words } from "./words.js";

export function element(given, block, ctx) {
  const build = ELEMENTS[given.type];
  return build ? build(given, block, ctx) : unknown(given);
}

const keyOf = (given, block) => `${block.block_id}/${given.action_id}`;

// What every control has: a name for the focus, and what an input block says about it.
const shared = (given, block, ctx) => ({
  id: ctx.input?.id,
  data: { focus: keyOf(given, block) },
  "aria-describedby": ctx.input?.described,
  "aria-invalid": ctx.input?.failed ? "true" : null,
  "aria-required": ctx.input?.required ? "true" : null,
  "aria-label": ctx.input ? null : (given.placeholder?.text ?? given.accessibility_label ?? null),
  autofocus: given.focus_on_load,
});

const kept = (given, block, ctx, first) => {
  const value = ctx.values?.get(keyOf(given, block));
  return value === undefined ? first : value;
};

function keep(given, block, ctx, value) {
  ctx.values?.set(keyOf(given, block), value);
  if (block.type !== "input" || block.dispatch_action) return tell(given, block, ctx, value);
  return null;
}

async function tell(given, block, ctx, choice, control) {
  if (given.confirm && !(await confirmed(given.confirm))) return;
  control?.setAttribute("aria-busy", "true");
  const answer = await act("click", { ...ctx.place, block_id: block.block_id, action_id: given.action_id, choice });
  control?.removeAttribute("aria-busy");
  if (answer?.error) toast(`⚠️ The app did not answer this click as it should: ${answer.error}`);
}

const ELEMENTS = {
  __proto__: null,
  button: (given, block, ctx) => button(given, block, ctx),
  workflow_button: (given, block, ctx) => button(given, block, ctx),
  icon_button: (given, block, ctx) =>
    button({ ...given, text: { type: "plain_text", text: `🗑️ ${given.text.text}` } }, block, ctx),
  feedback_buttons: (given, block, ctx) =>
    h(
      "span",
      { class: "actions" },
      [given.positive_button, given.negative_button].map((part) =>
        button({ ...part, type: given.type, action_id: given.action_id }, block, ctx, part.value),
      ),
    ),
  overflow: (given, block, ctx) => overflow(given, block, ctx),
  image: (given) => h("span", { class: "picture" }, "🖼 ", given.alt_text),
  static_select: (given, block, ctx) => select(given, block, ctx, false),
  multi_static_select: (given, block, ctx) => select(given, block, ctx, true),
  users_select: (given, block, ctx) => select(withOptions(given, people(), given.initial_user), block, ctx, false),
  multi_users_select: (given, block, ctx) =>
    select(withOptions(given, people(), given.initial_users), block, ctx, true),
  channels_select: (given, block, ctx) =>
    select(withOptions(given, places(), given.initial_channel), block, ctx, false),
  multi_channels_select: (given, block, ctx) =>
    select(withOptions(given, places(), given.initial_channels), block, ctx, true),
  conversations_select: (given, block, ctx) =>
    select(withOptions(given, places(), given.initial_conversation), block, ctx, false),
  multi_conversations_select: (given, block, ctx) =>
    select(withOptions(given, places(), given.initial_conversations), block, ctx, true),
  checkboxes: (given, block, ctx) => choices(given, block, ctx, "checkbox"),
  radio_buttons: (given, block, ctx) => choices(given, block, ctx, "radio"),
  plain_text_input: (given, block, ctx) => field(given, block, ctx, given.multiline ? "textarea" : "text"),
  rich_text_input: (given, block, ctx) => field(given, block, ctx, "textarea", asRichText),
  email_text_input: (given, block, ctx) => field(given, block, ctx, "email"),
  url_text_input: (given, block, ctx) => field(given, block, ctx, "url"),
  number_input: (given, block, ctx) => field(given, block, ctx, "number"),
  datepicker: (given, block, ctx) => moment(given, block, ctx, "date", given.initial_date),
  timepicker: (given, block, ctx) => moment(given, block, ctx, "time", given.initial_time),
  datetimepicker: (given, block, ctx) =>
    moment(
      given,
      block,
      ctx,
      "datetime-local",
      given.initial_date_time,
      (seconds) => wall(seconds, ctx.tz),
      (local) => instant(local, ctx.tz),
    ),
};

function button(given, block, ctx, choice) {
  const address = given.url && safeAddress(given.url);
  const css = `button ${given.style ?? ""}`;
  const label = [withEmoji(given.text.text), address && h("span", { class: "outward", "aria-hidden": "true" }, " ↗")];
  const common = {
    class: css,
    "aria-label": given.accessibility_label,
    data: { focus: keyOf(given, block), action: given.action_id },
  };
  if (address) {
    // Slack opens the address and tells the app as well.
    const clicked = () => tell({ ...given, confirm: null }, block, ctx, choice ?? null);
    return h(
      "a",
      { ...common, href: address, target: "_blank", rel: "noopener noreferrer", on: { click: clicked } },
      label,
    );
  }
  const node = h("button", { ...common, type: "button" }, label);
  node.addEventListener("click", () => node.getAttribute("aria-busy") || tell(given, block, ctx, choice ?? null, node));
  return node;
}

function overflow(given, block, ctx) {
  const node = h(
    "button",
    {
      class: "button overflow",
      type: "button",
      "aria-label": "More actions",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      data: { focus: keyOf(given, block), action: given.action_id },
    },
    "⋯",
  );
  const items = given.options.map((option) => ({
    label: withEmoji(option.text.text),
    description: option.description?.text,
    href: option.url && safeAddress(option.url),
    run: () => tell(given, block, ctx, option.value),
  }));
  node.addEventListener("click", () => openMenu(node, items));
  return node;
}

const asOption = (value, text) => ({ value, text: { type: "plain_text", text, emoji: false } });
const people = () => [...store.users.values()].map((user) => asOption(user.id, user.real_name));
const places = () =>
  [...store.channels.values()].map((channel) =>
    asOption(channel.id, channel.kind === "im" ? "Crawler Inspector" : `#${channel.name}`),
  );
const withOptions = (given, options, initial) => ({
  ...given,
  options,
  initial_option: options.find((option) => option.value === initial),
  initial_options: options.filter((option) => [].concat(initial ?? []).includes(option.value)),
});

function select(given, block, ctx, several) {
  const first = several
    ? (given.initial_options ?? []).map((option) => option.value)
    : (given.initial_option?.value ?? null);
  const value = kept(given, block, ctx, first);
  const chosen = (option) => (several ? value.includes(option.value) : option.value === value);
  const entry = (option) => h("option", { value: option.value, selected: chosen(option) }, withEmoji(option.text.text));
  const groups = given.option_groups?.map((group) =>
    h("optgroup", { label: group.label.text }, group.options.map(entry)),
  );
  const placeholder =
    !several && h("option", { value: "", selected: value === null }, given.placeholder?.text ?? "Choose…");
  const node = h(
    "select",
    { ...shared(given, block, ctx), class: "control", multiple: several },
    placeholder,
    groups ?? given.options.map(entry),
  );
  node.addEventListener("change", () => {
    const values = [...node.selectedOptions].map((option) => option.value).filter((text) => text !== "");
    keep(given, block, ctx, several ? values : (values[0] ?? null));
  });
  return node;
}

function choices(given, block, ctx, kind) {
  const several = kind === "checkbox";
  const first = several
    ? (given.initial_options ?? []).map((option) => option.value)
    : (given.initial_option?.value ?? null);
  const value = kept(given, block, ctx, first);
  const { id, autofocus, ...rest } = shared(given, block, ctx);
  const inputs = given.options.map((option, index) =>
    h("input", {
      type: kind,
      name: keyOf(given, block),
      value: option.value,
      "aria-describedby": rest["aria-describedby"],
      checked: several ? value.includes(option.value) : option.value === value,
      data: { focus: `${keyOf(given, block)}/${index}` },
    }),
  );
  const changed = () => {
    const values = inputs.filter((node) => node.checked).map((node) => node.value);
    keep(given, block, ctx, several ? values : (values[0] ?? null));
  };
  for (const node of inputs) node.addEventListener("change", changed);
  return h(
    "div",
    { class: "choices" },
    given.options.map((option, index) =>
      h(
        "label",
        { class: "choice" },
        inputs[index],
        h(
          "span",
          null,
          words(option.text, ctx.tz),
          option.description && h("small", null, words(option.description, ctx.tz)),
        ),
      ),
    ),
  );
}

const asRichText = (text) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
});

function field(given, block, ctx, kind, toValue = (text) => text) {
  const begun = kept(given, block, ctx, given.initial_value ?? "");
  const text = typeof begun === "string" ? begun : (begun?.elements?.[0]?.elements?.[0]?.text ?? "");
  const given_ = {
    ...shared(given, block, ctx),
    class: "control",
    placeholder: given.placeholder?.text,
    minlength: given.min_length,
    maxlength: given.max_length,
  };
  const node =
    kind === "textarea"
      ? h("textarea", { ...given_, rows: "6", value: text })
      : h("input", {
          ...given_,
          type: kind,
          value: text,
          step: given.is_decimal_allowed ? "any" : null,
          min: given.min_value,
          max: given.max_value,
          autocomplete: "off",
          spellcheck: "false",
        });
  const value = () => (node.value === "" ? null : toValue(node.value));
  node.addEventListener("input", () => ctx.values?.set(keyOf(given, block), value()));
  const on = given.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  if (block.dispatch_action && on.includes("on_character_entered"))
    node.addEventListener("change", () => keep(given, block, ctx, value()));
  if (block.dispatch_action && on.includes("on_enter_pressed") && kind !== "textarea") {
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      keep(given, block, ctx, value());
    });
  }
  return node;
}

function moment(given, block, ctx, kind, first, toLocal = (value) => value, fromLocal = (value) => value) {
  const value = kept(given, block, ctx, first ?? null);
  const node = h("input", {
    ...shared(given, block, ctx),
    class: "control",
    type: kind,
    value: value === null ? "" : toLocal(value),
  });
  node.addEventListener("change", () => keep(given, block, ctx, node.value ? fromLocal(node.value) : null));
  return node;
}

// The values of a form as the server wants them: by block for inputs, by action for the rest.
export function formValues(blocks, values) {
  const byName = {};
  for (const [key, value] of values) {
    const [blockId, actionId] = [key.slice(0, key.lastIndexOf("/")), key.slice(key.lastIndexOf("/") + 1)];
    const block = blocks.find((candidate) => candidate.block_id === blockId);
    if (block) byName[block.type === "input" ? blockId : actionId] = value;
  }
  return byName;
}

const FIRST = [
  "initial_value",
  "initial_option",
  "initial_options",
  "initial_date",
  "initial_time",
  "initial_date_time",
  "initial_user",
  "initial_users",
  "initial_channel",
  "initial_channels",
  "initial_conversation",
  "initial_conversations",
];
const empty = (value) => value === null || value === undefined || value === "" || value.length === 0;

// Required inputs without a value: Slack does not submit those.
export function missing(blocks, values) {
  return blocks.filter((block) => {
    if (block.type !== "input" || block.optional) return false;
    const key = keyOf(block.element, block);
    const first = FIRST.map((name) => block.element[name]).find((value) => !empty(value));
    return empty(values.has(key) ? values.get(key) : first);
  });
}
