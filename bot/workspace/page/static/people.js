// People as they are shown: pictures, names, mentions.

import { h } from "./dom.js";
import { store, userOf } from "./store.js";

export function mention(id) {
  const user = userOf(id.split("|")[0]);
  return h(
    "span",
    { class: user.id === store.me ? "mention mine" : "mention" },
    `@${user.is_bot ? user.real_name : user.name}`,
  );
}

export function avatar(id) {
  const user = userOf(id);
  if (user.is_bot) return h("img", { class: "avatar", src: "/static/icon.svg", alt: "" });
  return h(
    "span",
    { class: "avatar", data: { user: user.id }, "aria-hidden": "true" },
    user.name.slice(0, 1).toUpperCase(),
  );
}

export const nameOf = (id) => userOf(id).real_name;

// "@Crawler Inspector" and "@ann" as people type them → <@U…>, which is what Slack sends.
export function withMentions(typed) {
  const names = [...store.users.values()].flatMap((user) => [
    [user.real_name, user.id],
    [user.name, user.id],
  ]);
  const longestFirst = names.sort((a, b) => b[0].length - a[0].length);
  return longestFirst.reduce(
    (text, [name, id]) => text.replaceAll(new RegExp(`(^|[\\s(])@${name}(?![\\w])`, "gi"), `$1<@${id}>`),
    typed,
  );
}
