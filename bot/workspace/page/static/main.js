// The page: listens to the workspace, and draws what changed, once a frame.

import { act, listen } from "./api.js";
import { renderBlocks } from "./blocks.js";
import { Composer } from "./composer.js";
import { h } from "./dom.js";
import { showInspector } from "./inspector.js";
import { keyOf, showMessages, walk } from "./messages.js";
import { showModal } from "./modal.js";
import { mrkdwn } from "./mrkdwn.js";
import { nameOf } from "./people.js";
import { showSidebar } from "./sidebar.js";
import { appChannel, apply, inChannel, inThread, me, store, visible } from "./store.js";
import { startTheme } from "./theme.js";

const $ = (id) => document.getElementById(id);
const channelName = (id) => {
  const channel = store.channels.get(id);
  return !channel ? "" : channel.kind === "im" ? "Crawler Inspector" : `#${channel.name}`;
};
const TOPICS = { C0OUTSIDE: "The app is not a member here: slash commands work, messages do not reach it." };

const main = new Composer(
  "composer",
  () => ({ channel: store.channel }),
  () => `Message ${channelName(store.channel)}`,
);
const side = new Composer(
  "reply",
  () => ({ channel: store.channel, thread_ts: store.thread }),
  () => "Reply…",
);
const prompts = h("div", { class: "prompts", role: "group", "aria-label": "Things to try" });
const followups = h("div", { class: "prompts", role: "group", "aria-label": "Things to ask here" });
$("channel-foot").append(prompts, main.node);

// going places

function go(channel) {
  const opensApp = channel === appChannel()?.id;
  Object.assign(store, { channel, thread: null, tab: opensApp ? store.tab : "messages" });
  store.unread.delete(channel);
  $("app").classList.remove("sidebar-open");
  if (opensApp && store.tab === "home") act("home", {});
  drawAll();
  $("messages").scrollTop = $("messages").scrollHeight;
  if (!matchMedia("(max-width: 760px)").matches) main.area.focus();
}

function openThread(message) {
  store.thread = message.thread_ts ?? message.ts;
  if (narrow()) store.inspector.open = false;
  drawAll();
  side.area.focus();
}

function closeThread() {
  const root = store.thread;
  store.thread = null;
  drawAll();
  focusMessage(`${store.channel}/${root}`);
}

function inspect(message) {
  Object.assign(store.inspector, { open: true, tab: "message", key: keyOf(message) });
  drawAll();
  $("inspector-body").focus();
}

function closeInspector() {
  store.inspector.open = false;
  drawAll();
  if (!focusMessage(store.inspector.key)) $("inspector-button").focus();
}

function focusMessage(key) {
  const node = [...document.querySelectorAll(".message")].find((row) => row.dataset.key === key);
  node?.focus();
  return Boolean(node);
}

const narrow = () => matchMedia("(max-width: 1600px)").matches; // room for one pane only

function tab(name) {
  store.tab = name;
  if (name === "home") act("home", {});
  drawAll();
}

// An edit happens in the place of the message.
function edit(message) {
  const row = [...document.querySelectorAll(".message")].find((node) => node.dataset.key === keyOf(message));
  const area = h("textarea", {
    class: "control edit-area",
    rows: "3",
    "aria-label": "Edit message",
    value: message.typed ?? message.text,
  });
  const done = async (save) => {
    if (save && area.value.trim())
      await act("edit", { channel: message.channel, ts: message.ts, text: area.value.trim() });
    row.dataset.version = ""; // drawn anew, edited or not
    drawAll();
    focusMessage(keyOf(message));
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
      event.preventDefault();
      event.stopPropagation();
      done(event.key === "Enter");
    }
  });
  row
    .querySelector(".content")
    .replaceChildren(
      area,
      h(
        "div",
        { class: "copy-row" },
        h("button", { class: "small-button", type: "button", on: { click: () => done(false) } }, "Cancel"),
        h("button", { class: "small-button", type: "button", on: { click: () => done(true) } }, "Save"),
      ),
    );
  area.focus();
}

const handlers = { openThread, inspect, edit };

// drawing

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  queueMicrotask(() => {
    waiting = false;
    if (store.ready) drawAll();
  });
}

function drawAll() {
  showSidebar($("sidebar"), go);
  drawHead();
  drawPrompts();
  drawMain();
  drawThread();
  drawInspector();
  showModal();
  main.showPreview();
}

function drawHead() {
  const users = [...store.users.values()].filter((user) => !user.is_bot);
  if ($("user").options.length !== users.length) {
    $("user").replaceChildren(...users.map((user) => h("option", { value: user.id }, user.real_name)));
  }
  $("user").value = store.me;
  $("channel-title").textContent = channelName(store.channel);
  $("channel-topic").textContent = TOPICS[store.channel] ?? "";
  document.title = `${channelName(store.channel)} · Example workspace`;
  const isApp = store.channel === appChannel()?.id;
  $("app-tabs").hidden = !isApp;
  if (isApp) {
    $("app-tabs").replaceChildren(
      ...[
        ["home", "Home"],
        ["messages", "Messages"],
      ].map(([name, label]) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            class: "tab",
            "aria-selected": String(store.tab === name),
            on: { click: () => tab(name) },
          },
          label,
        ),
      ),
    );
  }
  for (const composer of [main, side]) composer.refresh();
}

let drawnHome = "";
function drawMain() {
  const home = store.tab === "home" && store.channel === appChannel()?.id;
  $("home").hidden = !home;
  $("messages").hidden = home;
  $("channel-foot").hidden = home;
  if (home) return drawHome();
  showMessages($("messages"), inChannel(store.channel), handlers, false);
  return undefined;
}

function drawHome() {
  const view = store.homes.get(store.me);
  const version = `${store.me}/${view?.hash}`;
  if (version === drawnHome) return;
  drawnHome = version;
  const ctx = { tz: me().tz, heading: 1, place: { view: view?.id } };
  $("home").replaceChildren(
    ...(view
      ? renderBlocks(view.payload.blocks, ctx)
      : [h("p", { class: "quiet" }, "The app has not published a Home for this person.")]),
  );
}

function drawThread() {
  const pane = $("thread");
  const hidden = store.thread === null || (narrow() && store.inspector.open);
  pane.hidden = hidden;
  $("app").classList.toggle("with-thread", !hidden);
  if (hidden) return;
  if (!pane.firstChild) {
    pane.append(
      h(
        "header",
        { class: "pane-head" },
        h("h2", null, "Thread"),
        h(
          "button",
          { class: "icon-button", type: "button", "aria-label": "Close the thread", on: { click: closeThread } },
          "✕",
        ),
      ),
      h("div", {
        class: "messages",
        id: "thread-messages",
        role: "log",
        "aria-live": "off",
        "aria-label": "Replies",
        tabindex: "-1",
        on: { keydown: walk },
      }),
      followups,
      side.node,
    );
  }
  showMessages($("thread-messages"), inThread(store.channel, store.thread), handlers, true);
}

function drawInspector() {
  const { open } = store.inspector;
  $("inspector").hidden = !open;
  $("inspector-button").setAttribute("aria-pressed", String(open));
  $("app").classList.toggle("with-inspector", open);
  if (open) showInspector($("inspector"), { close: closeInspector, tab: showTab });
}

function showTab(name) {
  store.inspector.tab = name;
  drawInspector();
}

function drawPrompts() {
  offer(prompts, store.menu.prompts, main);
  offer(followups, store.menu.followups, side);
}

function offer(row, offered, composer) {
  row.hidden = offered.length === 0;
  if (row.childElementCount === offered.length + 1) return;
  const send = (prompt) =>
    h(
      "button",
      { class: "prompt", type: "button", title: prompt.text, on: { click: () => composer.send(prompt.text) } },
      prompt.title,
    );
  row.replaceChildren(h("span", { class: "prompts-title" }, "Try"), ...offered.map(send));
}

// what screen readers hear: new messages of the app, by their text, as in Slack's notifications

function announce(changes) {
  const message = changes.message;
  if (!message || message.user === store.me || !visible(message)) return;
  if (message.channel === store.channel) $("announcer").replaceChildren(`${nameOf(message.user)}: `, spoken(message));
}

const spoken = (message) => h("div", null, mrkdwn((message.text || message.words).slice(0, 300), me().tz)).textContent;

listen(
  (changes) => {
    announce(changes);
    apply(changes);
    draw();
  },
  (connected) => {
    $("connection").textContent = connected ? "" : "Not connected";
  },
);

$("messages").addEventListener("keydown", walk);
$("menu-button").addEventListener("click", () => {
  const open = $("app").classList.toggle("sidebar-open");
  $("menu-button").setAttribute("aria-expanded", String(open));
  if (open) $("sidebar").querySelector("[aria-current]")?.focus();
});
$("inspector-button").addEventListener("click", () => {
  store.inspector.open = !store.inspector.open;
  if (store.inspector.open && !store.inspector.key) store.inspector.tab = "calls";
  draw();
});
$("user").addEventListener("change", (event) => {
  const wasInApp = store.channel === appChannel()?.id;
  store.me = event.target.value;
  if (wasInApp) go(appChannel().id);
  draw();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if ($("app").classList.contains("sidebar-open")) $("app").classList.remove("sidebar-open");
  else if (store.inspector.open) closeInspector();
  else if (store.thread !== null) closeThread();
});
addEventListener("resize", draw);
startTheme($("theme-button"));
