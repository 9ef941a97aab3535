// The inspector: how a message came about, byte for byte, and what the validator says; and all traffic both ways.

import { h } from "./dom.js";
import { copyButton, opening, pretty } from "./json.js";
import { nameOf } from "./people.js";
import { messageAt, store } from "./store.js";

const TABS = [
  ["message", "Message"],
  ["calls", "Web API calls"],
  ["deliveries", "Requests to the app"],
];
const opened = new Set(); // details that stay open when the pane is drawn again

export function showInspector(pane, handlers) {
  const { tab } = store.inspector;
  const scroll = pane.querySelector(".pane-body")?.scrollTop ?? 0;
  const focused = pane.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  pane.replaceChildren(
    h(
      "header",
      { class: "pane-head" },
      h("h2", null, "Inspector"),
      h(
        "button",
        {
          class: "icon-button",
          type: "button",
          "aria-label": "Close the inspector",
          data: { focus: "close" },
          on: { click: handlers.close },
        },
        "✕",
      ),
    ),
    h(
      "div",
      {
        class: "tabs",
        role: "tablist",
        "aria-label": "Inspector",
        on: { keydown: (event) => arrows(event, handlers) },
      },
      TABS.map(([name, label]) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${name}`,
            class: "tab",
            "aria-selected": String(name === tab),
            "aria-controls": "inspector-body",
            tabindex: name === tab ? "0" : "-1",
            data: { focus: name },
            on: { click: () => handlers.tab(name) },
          },
          label,
          counts[name] && h("span", { class: "tab-count" }, String(counts[name]())),
        ),
      ),
    ),
    h(
      "div",
      { class: "pane-body", id: "inspector-body", role: "tabpanel", "aria-labelledby": `tab-${tab}`, tabindex: "0" },
      BODIES[tab](),
    ),
  );
  pane.querySelector(".pane-body").scrollTop = scroll;
  if (focused) [...pane.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === focused)?.focus();
}

const counts = { calls: () => store.calls.length, deliveries: () => store.deliveries.length };

function arrows(event, handlers) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = TABS.findIndex(([name]) => name === store.inspector.tab);
  handlers.tab(TABS[(at + step + TABS.length) % TABS.length][0]);
  document.getElementById(`tab-${store.inspector.tab}`).focus();
}

const BODIES = {
  message: oneMessage,
  calls: () => newestFirst(store.calls, call, "The app has not called the Web API yet."),
  deliveries: () => newestFirst(store.deliveries, delivery, "Nothing was sent to the app yet."),
};

const newestFirst = (rows, draw, none) =>
  rows.length ? rows.toReversed().map((row) => draw(row)) : h("p", { class: "quiet" }, none);

function oneMessage() {
  const message = messageAt(store.inspector.key);
  if (!message)
    return h(
      "p",
      { class: "quiet" },
      "Choose “Inspect the payload” ({ }) at a message: its request, its payload and the validator's word on it are shown here.",
    );
  const made = message.calls.map((index) => store.calls[index]).filter(Boolean);
  const told = store.deliveries.filter((row) => about(row.payload, message));
  return [
    h(
      "p",
      { class: "inspected-who" },
      h("strong", null, nameOf(message.user)),
      ` · ts ${message.ts} · by ${message.via}`,
    ),
    message.would_unfurl &&
      h(
        "p",
        { class: "verdict bad" },
        "✕ unfurl_links and unfurl_media are not both off: Slack may add cards under its links.",
      ),
    part(
      "What made it",
      made,
      (row) => call(row, true),
      message.via === "user" ? "A person wrote it: nothing was asked of the Web API." : "The workspace made it itself.",
    ),
    part("What the app was told of it", told, (row) => delivery(row, false), "Nothing."),
    h(
      "section",
      null,
      h("h3", null, "The message as Slack sends it"),
      copyRow(message.raw),
      pretty(message.raw, "The message"),
    ),
  ];
}

const part = (title, rows, draw, none) =>
  h("section", null, h("h3", null, title), rows.length ? rows.map(draw) : h("p", { class: "quiet" }, none));

function about(payload, message) {
  const event = payload.event ?? {};
  const ts = event.message?.ts ?? event.message_ts ?? event.ts ?? payload.container?.message_ts ?? payload.message_ts;
  return ts === message.ts;
}

function copyRow(payload) {
  const blocks = payload.blocks ?? payload.view?.blocks;
  return h(
    "div",
    { class: "copy-row" },
    copyButton(() => JSON.stringify(payload, null, 2), "Copy JSON"),
    blocks && copyButton(() => JSON.stringify({ blocks }, null, 2), "Copy for Block Kit Builder"),
  );
}

function call(row, open) {
  const request =
    row.method === "response_url"
      ? "POST response_url"
      : row.method === "ack" || row.method === "response_action"
        ? "Answer to Slack's request"
        : `POST /api/${row.method}`;
  return entry(
    `call/${row.index}`,
    open,
    [sign(row.ok), h("code", null, request), h("span", { class: "where" }, whereTo(row.payload))],
    () => [word(row), copyRow(row.payload), pretty(row.payload, `Payload of ${row.method}`)],
  );
}

const whereTo = (payload) => {
  const channel = store.channels.get(payload.channel ?? payload.channel_id);
  return channel ? (channel.kind === "im" ? "Direct message" : `#${channel.name}`) : "";
};

function word(row) {
  if (row.ok) return h("p", { class: "verdict good" }, "✓ The validator takes it: no problems.");
  const problems = row.problems.map((problem) =>
    h(
      "li",
      null,
      h("code", null, problem.error),
      ` ${problem.message}`,
      problem.pointer && h("code", { class: "pointer" }, problem.pointer),
    ),
  );
  return [
    h("p", { class: "verdict bad" }, `✕ Refused: ${row.error}`),
    problems.length > 0 && h("ul", { class: "problems" }, problems),
  ];
}

function delivery(row, open) {
  const event = row.payload.event;
  const what =
    row.payload.command ??
    (event ? `${event.type}${event.subtype ? `.${event.subtype}` : ""}` : (row.payload.type ?? row.kind));
  const took = row.status === null ? "no answer" : `HTTP ${row.status}, ${row.elapsed_ms.toFixed(0)} ms`;
  return entry(
    `delivery/${row.index}`,
    open,
    [
      sign(!row.error),
      h("code", null, what),
      h("span", { class: "where" }, `${row.kind} · ${took}${row.retry ? ` · retry ${row.retry}` : ""}`),
    ],
    () => [
      h(
        "p",
        { class: row.error ? "verdict bad" : "verdict good" },
        row.error ? `✕ ${row.error}` : "✓ Taken within Slack's 3 seconds.",
      ),
      h(
        "p",
        { class: "quiet" },
        `POST to the app's request URL, signed (X-Slack-Signature, X-Slack-Request-Timestamp), ${row.content_type}`,
      ),
      copyRow(row.payload),
      pretty(row.payload, "Payload"),
      opening(null, "The body on the wire", () =>
        h("pre", { class: "json wire", tabindex: "0", role: "region", "aria-label": "Body" }, row.sent),
      ),
      row.body && [
        h("h4", null, "The app answered"),
        typeof row.body === "string"
          ? h("pre", { class: "json", tabindex: "0", role: "region", "aria-label": "Answer" }, row.body)
          : pretty(row.body, "Answer"),
      ],
    ],
  );
}

const sign = (ok) =>
  h(
    "span",
    { class: ok ? "sign good" : "sign bad" },
    ok ? "✓" : "✕",
    h("span", { class: "hidden" }, ok ? " taken" : " refused"),
  );

function entry(key, open, head, body) {
  const node = opening({ class: "entry", open: open || opened.has(key) }, head, body, { data: { focus: key } });
  node.addEventListener("toggle", () => (node.open ? opened.add(key) : opened.delete(key)));
  return node;
}
