// The list of channels, and of the one app.

import { h } from "./dom.js";
import { appChannel, store } from "./store.js";
import { avatar } from "./people.js";

export function showSidebar(nav, go) {
  const channels = [...store.channels.values()].filter(
    (channel) => channel.kind === "channel" && channel.members.includes(store.me),
  );
  const direct = appChannel();
  const focused = document.activeElement?.closest?.("#sidebar [data-channel]")?.dataset.channel;
  nav.replaceChildren(
    group(
      "Channels",
      channels.map((channel) =>
        entry(channel.id, [h("span", { class: "hash", "aria-hidden": "true" }, "#"), channel.name], go, away(channel)),
      ),
    ),
    group("Apps", direct ? [entry(direct.id, [avatar(store.bot), "Crawler Inspector"], go)] : []),
  );
  if (focused) nav.querySelector(`[data-channel="${CSS.escape(focused)}"]`)?.focus();
}

const away = (channel) =>
  !channel.members.includes(store.bot) &&
  h("span", { class: "away", title: "The app is not in this channel" }, "no app");

const group = (title, entries) =>
  h(
    "section",
    null,
    h("h2", null, title),
    h(
      "ul",
      null,
      entries.map((node) => h("li", null, node)),
    ),
  );

function entry(id, label, go, note) {
  const count = store.unread.get(id);
  return h(
    "button",
    {
      type: "button",
      class: count ? "channel unread" : "channel",
      "aria-current": id === store.channel ? "page" : null,
      data: { channel: id },
      on: { click: () => go(id) },
    },
    label,
    note,
    count && h("span", { class: "count" }, String(count), h("span", { class: "hidden" }, " new")),
  );
}
