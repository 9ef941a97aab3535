// A list of messages: in a channel, or in a thread.

import { act } from "./api.js";
import { renderBlocks } from "./blocks.js";
import { clock, day, formatDate } from "./dates.js";
import { h, link, reconcile } from "./dom.js";
import { openMenu } from "./menu.js";
import { mrkdwn } from "./mrkdwn.js";
import { avatar, nameOf } from "./people.js";
import { cardsUnder, me, repliesTo, store, userOf } from "./store.js";
import { emoji } from "./emoji.js";

const GROUP_SECONDS = 300;

const NEAR = 80; // pixels from the end that still count as reading the newest
const atEnd = new WeakMap(); // list → does its reader read the newest?
const tops = new WeakMap(); // list → where it was scrolled to
const measured = new WeakSet(); // lists and rows whose size is watched
const resized = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const list = atEnd.has(target) ? target : target.parentElement;
    if (list && atEnd.get(list)) list.scrollTop = list.scrollHeight;
  }
});

function watchSize(element) {
  if (measured.has(element)) return;
  measured.add(element);
  resized.observe(element);
}

// Who reads the newest message goes on reading the newest, also when a pane opens beside the list and the rows grow:
// only scrolling up, as a person does, leaves the end.
function follow(container) {
  if (atEnd.has(container)) return;
  atEnd.set(container, true);
  watchSize(container);
  container.addEventListener("scroll", () => {
    const up = container.scrollTop < (tops.get(container) ?? 0);
    tops.set(container, container.scrollTop);
    const near = container.scrollHeight - container.scrollTop - container.clientHeight < NEAR;
    if (near || up) atEnd.set(container, near);
  });
}

// handlers: { openThread, inspect, edit }
export function showMessages(container, messages, handlers, inThread) {
  follow(container);
  reconcile(container, items(messages, inThread), (item) =>
    item.intro ? intro(item.intro) : item.day ? dayLine(item.day) : row(item, handlers, inThread),
  );
  const rows = [...container.querySelectorAll(".message")];
  rows.forEach(watchSize);
  oneStop(rows, rows.at(-1));
  if (atEnd.get(container)) container.scrollTop = container.scrollHeight;
}

function items(messages, inThread) {
  const made =
    messages.length || inThread
      ? []
      : [{ key: "intro", version: store.channel, intro: store.channels.get(store.channel) }];
  let before = null;
  for (const message of messages) {
    const named = day(message.ts, me().tz);
    const newDay = !before || day(before.ts, me().tz) !== named;
    if (newDay && !inThread) made.push({ key: `day/${named}`, version: store.me, day: named });
    const replies = repliesTo(message);
    const cards = cardsUnder(message);
    const follows =
      !newDay && message.via === "user" && before.user === message.user && message.ts - before.ts < GROUP_SECONDS;
    const version = [
      message.revision,
      follows,
      store.me,
      replies.length,
      replies.at(-1)?.ts,
      cards.map((card) => card.revision),
      store.inspector.open && store.inspector.key === keyOf(message),
    ].join("|");
    made.push({ key: keyOf(message), version, message, follows, replies, cards });
    before = message;
  }
  return made;
}

function intro(channel) {
  const name = channel.kind === "im" ? "Crawler Inspector" : `#${channel.name}`;
  return h(
    "div",
    { class: "intro" },
    h("strong", null, `This is the very beginning of ${name}`),
    h(
      "p",
      null,
      "Paste a link to a page, mention @Crawler Inspector, or type / for its commands. The chips below send something for you.",
    ),
  );
}

export const keyOf = (message) => `${message.channel}/${message.ts}`;
const dayLine = (words) => h("div", { class: "day", role: "separator" }, h("span", null, words));

function row({ message, follows, replies, cards }, handlers, inThread) {
  const time = h(
    "time",
    { class: "time", title: formatDate(Number(message.ts), "{date_long} at {time_secs}", me().tz) },
    clock(message.ts, me().tz),
  );
  const css = [
    "message",
    follows && "follows",
    message.ephemeral_to && "ephemeral",
    message.user === store.bot && "by-app",
    store.inspector.open && store.inspector.key === keyOf(message) && "inspected",
  ];
  return h(
    "article",
    {
      class: css.filter(Boolean).join(" "),
      tabindex: "-1",
      "aria-label": `${nameOf(message.user)}, ${clock(message.ts, me().tz)}`,
      data: { focus: "message" },
    },
    message.ephemeral_to &&
      h("p", { class: "only-you" }, h("span", { "aria-hidden": "true" }, "👁 "), "Only visible to you"),
    h("div", { class: "gutter" }, follows ? time.cloneNode(true) : avatar(message.user)),
    h(
      "div",
      { class: "message-body" },
      !follows &&
        h("div", { class: "byline" }, h("span", { class: "author" }, nameOf(message.user)), badge(message.user), time),
      content(message, inThread),
      message.edited && h("span", { class: "edited" }, "(edited)"),
      message.files.length > 0 && h("div", { class: "files" }, message.files.map(file)),
      cards.map((card) => unfurl(card)),
      message.reactions.length > 0 &&
        h(
          "div",
          { class: "reactions" },
          message.reactions.map((name) =>
            h("span", { class: "reaction", title: `:${name}:` }, emoji(name) ?? `:${name}:`, " 1"),
          ),
        ),
      !inThread && replies.length > 0 && threadButton(message, replies, handlers),
    ),
    toolbar(message, handlers, inThread),
  );
}

const badge = (user) => userOf(user).is_bot && h("span", { class: "badge" }, "APP");

function content(message, inThread) {
  const ctx = { tz: me().tz, heading: inThread ? 2 : 1, place: { channel: message.channel, ts: message.ts } };
  const blocks = message.blocks.length
    ? renderBlocks(message.blocks, ctx)
    : [message.text && h("div", { class: "text" }, mrkdwn(message.text, ctx.tz))];
  const attached = message.attachments.map((part) =>
    h(
      "div",
      { class: "attachment" },
      part.blocks ? renderBlocks(part.blocks, ctx) : mrkdwn(part.text ?? part.fallback ?? "", ctx.tz),
    ),
  );
  return h("div", { class: "content" }, blocks, attached);
}

function file(given) {
  return h(
    "a",
    { class: "file", href: `/ui/files/${encodeURIComponent(given.id)}`, target: "_blank", rel: "noopener noreferrer" },
    h("span", { class: "file-icon", "aria-hidden": "true" }, "📄"),
    h("span", null, h("strong", null, given.title), h("small", null, `${given.name} · ${size(given.size)}`)),
  );
}

const size = (bytes) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1048576
      ? `${(bytes / 1024).toFixed(1)} kB`
      : `${(bytes / 1048576).toFixed(1)} MB`;

export function unfurl(card) {
  const ctx = { tz: me().tz, heading: 2, place: { channel: card.channel, ts: card.ts, url: card.url } };
  const blocks = renderBlocks(card.content.blocks, ctx);
  return h(
    "div",
    { class: "attachment unfurl" },
    h("p", { class: "unfurl-head" }, avatar(store.bot), nameOf(store.bot)),
    blocks.length
      ? blocks
      : [
          h(
            "div",
            { class: "text" },
            card.content.title && link(card.url, card.content.title),
            " ",
            card.content.text ?? "",
          ),
        ],
  );
}

function threadButton(message, replies, handlers) {
  const faces = [...new Set(replies.map((reply) => reply.user))].map((user) => avatar(user));
  const words = `${replies.length} ${replies.length === 1 ? "reply" : "replies"}`;
  return h(
    "button",
    {
      class: "thread-button",
      type: "button",
      data: { focus: "thread" },
      on: { click: () => handlers.openThread(message) },
    },
    h("span", { class: "faces" }, faces),
    h("strong", null, words),
    h("span", { class: "last-reply" }, `Last reply at ${clock(replies.at(-1).ts, me().tz)}`),
  );
}

function toolbar(message, handlers, inThread) {
  const tool = (label, sign, run, more) =>
    h(
      "button",
      {
        class: "tool",
        type: "button",
        "aria-label": label,
        title: label,
        data: { focus: label },
        on: { click: run },
        ...more,
      },
      sign,
    );
  const items = menuItems(message, handlers);
  const more = tool("More actions", "⋮", (event) => openMenu(event.currentTarget, items), {
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });
  return h(
    "div",
    { class: "toolbar" },
    !inThread && !message.ephemeral_to && tool("Reply in thread", "💬", () => handlers.openThread(message)),
    tool("Inspect the payload", "{ }", () => handlers.inspect(message)),
    items.length > 0 && more,
  );
}

function menuItems(message, handlers) {
  const shortcuts = store.menu.shortcuts
    .filter((shortcut) => shortcut.on_message && !message.ephemeral_to)
    .map((shortcut) => ({
      label: shortcut.name,
      description: "Crawler Inspector",
      run: () => act("shortcut", { callback_id: shortcut.callback_id, channel: message.channel, ts: message.ts }),
    }));
  const own = message.user === store.me && message.via === "user";
  return [...shortcuts, ...(own ? [{ label: "Edit message", run: () => handlers.edit(message) }] : [])];
}

// The Tab key stops at one message of a list.
function oneStop(rows, stop) {
  for (const node of rows) node.tabIndex = node === stop ? 0 : -1;
}

// Arrow keys walk from message to message.
export function walk(event) {
  const message = event.target.closest?.(".message");
  if (!message || event.target !== message || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  const all = [...event.currentTarget.querySelectorAll(".message")];
  const next = all[all.indexOf(message) + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  oneStop(all, next);
  next.focus();
}
