// What the page knows: the workspace as the server tells it, and what this person looks at.

export const store = {
  ready: false,
  me: "U0ANN",
  channel: "C0GENERAL",
  tab: "messages", // of the app's conversation: home | messages
  thread: null, // ts of the open thread's first message
  inspector: { open: false, tab: "message", key: null },
  users: new Map(),
  channels: new Map(),
  messages: new Map(), // "channel/ts" → message
  unfurls: [],
  stacks: {},
  homes: new Map(),
  calls: [],
  deliveries: [],
  menu: { commands: [], shortcuts: [], prompts: [], followups: [] },
  unread: new Map(),
  bot: "U0BOT",
  domains: [],
};

let revision = 0;
const keyOf = (message) => `${message.channel}/${message.ts}`;
const stamped = (value) => ({ ...value, revision: ++revision });

const APPLY = {
  __proto__: null,
  everything(all) {
    Object.assign(store, {
      ready: true,
      menu: all.menu,
      stacks: all.stacks,
      bot: all.bot,
      domains: all.unfurl_domains,
    });
    store.users = new Map(all.users.map((user) => [user.id, user]));
    store.channels = new Map(all.channels.map((channel) => [channel.id, channel]));
    store.messages = new Map(all.messages.map((message) => [keyOf(message), stamped(message)]));
    store.homes = new Map(all.homes.map((home) => [home.user, home]));
    store.unfurls = all.unfurls.map(stamped);
    store.calls = all.calls;
    store.deliveries = all.deliveries;
  },
  message(message) {
    const isNew = !store.messages.has(keyOf(message));
    store.messages.set(keyOf(message), stamped(message));
    if (isNew) noticed(message);
  },
  removed: (message) => store.messages.delete(keyOf(message)),
  unfurl(card) {
    const same = (old) => old.url === card.url && old.channel === card.channel && old.ts === card.ts;
    store.unfurls = [...store.unfurls.filter((old) => !same(old)), stamped(card)];
  },
  stacks: (stacks) => Object.assign(store, { stacks }),
  home: (home) => store.homes.set(home.user, home),
  call: (call) => store.calls.splice(call.index, 1, call),
  delivery: (delivery) => store.deliveries.splice(delivery.index, 1, delivery),
};

export function apply(changes) {
  for (const [kind, value] of Object.entries(changes)) APPLY[kind]?.(value);
}

function noticed(message) {
  if (message.channel !== store.channel && visible(message)) {
    store.unread.set(message.channel, (store.unread.get(message.channel) ?? 0) + 1);
  }
}

export const me = () => store.users.get(store.me) ?? { id: store.me, name: store.me, real_name: store.me, tz: "UTC" };
export const userOf = (id) =>
  store.users.get(id) ?? {
    id,
    name: id === "USLACKBOT" ? "Slackbot" : id,
    real_name: id === "USLACKBOT" ? "Slackbot" : id,
  };
export const visible = (message) => !message.ephemeral_to || message.ephemeral_to === store.me;
export const appChannel = () =>
  [...store.channels.values()].find((c) => c.kind === "im" && c.members.includes(store.me));
export const stack = () => store.stacks[store.me] ?? [];
export const messageAt = (key) => store.messages.get(key);

const inOrder = (messages) => messages.sort((a, b) => (a.ts < b.ts ? -1 : 1));

export function inChannel(channel) {
  return inOrder(
    [...store.messages.values()].filter(
      (m) => m.channel === channel && visible(m) && (!m.thread_ts || m.thread_ts === m.ts),
    ),
  );
}

export function inThread(channel, ts) {
  return inOrder(
    [...store.messages.values()].filter(
      (m) => m.channel === channel && visible(m) && (m.ts === ts || m.thread_ts === ts),
    ),
  );
}

export const repliesTo = (message) =>
  [...store.messages.values()].filter(
    (m) => m.channel === message.channel && m.thread_ts === message.ts && m.ts !== message.ts && visible(m),
  );
export const cardsUnder = (message) =>
  store.unfurls.filter((card) => card.channel === message.channel && card.ts === message.ts);
