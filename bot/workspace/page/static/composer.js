// Where people write: in a channel or in a thread.

import { act } from "./api.js";
import { Completion } from "./completion.js";
import { h, toast } from "./dom.js";
import { unfurl } from "./messages.js";
import { withMentions } from "./people.js";
import { store } from "./store.js";

const LARGEST = 10 * 1024 * 1024;

export class Composer {
  // where(): { channel, thread_ts }; label(): whom it is for
  constructor(id, where, label) {
    Object.assign(this, { id, where, label, files: [], history: [], linked: new Map() });
    this.area = h("textarea", {
      id: `${id}-text`,
      rows: "1",
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-controls": `${id}-list`,
      enterkeyhint: "send",
    });
    this.list = h("div", {
      id: `${id}-list`,
      class: "completion",
      role: "listbox",
      "aria-label": "Suggestions",
      hidden: true,
    });
    this.chips = h("div", { class: "attached" });
    this.preview = h("div", { class: "composer-preview", hidden: true });
    this.picker = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      on: { change: () => this.attach(this.picker.files) },
    });
    this.completion = new Completion(this.area, this.list, (shortcut) =>
      act("shortcut", { callback_id: shortcut.callback_id }),
    );
    this.node = this.build();
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("keydown", (event) => this.keydown(event));
  }

  build() {
    const tool = (label, sign, run) =>
      h("button", { class: "tool", type: "button", "aria-label": label, title: label, on: { click: run } }, sign);
    const drop = (event) => {
      event.preventDefault();
      this.attach(event.dataTransfer.files);
    };
    return h(
      "form",
      {
        class: "composer",
        on: {
          submit: (event) => {
            event.preventDefault();
            this.send();
          },
          dragover: (event) => event.preventDefault(),
          drop,
        },
      },
      this.list,
      this.preview,
      this.area,
      this.chips,
      h(
        "div",
        { class: "composer-tools" },
        tool("Attach a file", "📎", () => this.picker.click()),
        tool("Mention somebody", "@", () => this.insert("@")),
        tool("Run a command", "/", () => this.insert("/")),
        this.picker,
        h("span", { class: "composer-hint" }, "Enter sends, Shift+Enter begins a line"),
        h("button", { class: "send", "aria-label": "Send", title: "Send" }, "➤"),
      ),
    );
  }

  refresh() {
    this.area.placeholder = this.label();
    this.area.setAttribute("aria-label", this.label());
  }

  insert(sign) {
    const text = sign === "/" ? "/" : `${this.area.value && !/\s$/.test(this.area.value) ? " " : ""}@`;
    if (sign === "/") this.area.value = "";
    this.area.focus();
    this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.changed();
  }

  changed() {
    this.area.style.height = "auto";
    this.area.style.height = `${Math.min(this.area.scrollHeight, 220)}px`;
    this.completion.update();
    this.offer();
  }

  keydown(event) {
    if (event.isComposing || this.completion.keydown(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "ArrowUp" && this.area.value === "" && this.history.length) {
      event.preventDefault();
      this.area.value = this.history.at(-1);
      this.changed();
    }
  }

  // A link to a domain that the app unfurls is shown to the app while it is still being written.
  async offer() {
    for (const [url] of this.area.value.matchAll(/https?:\/\/[^\s<>]+(?=\s|$)/g)) {
      const host = URL.canParse(url) ? new URL(url).hostname : "";
      if (this.linked.has(url) || !store.domains.some((domain) => host === domain || host.endsWith(`.${domain}`)))
        continue;
      this.linked.set(url, null);
      const answer = await act("link", { channel: this.where().channel, url });
      this.linked.set(url, answer?.unfurl_id);
      this.showPreview();
    }
  }

  showPreview() {
    const cards = store.unfurls.filter((card) => [...this.linked.values()].includes(card.ts));
    const shown = cards.filter((card) => this.area.value.includes(card.url.replaceAll("&amp;", "&")));
    this.preview.hidden = shown.length === 0;
    this.preview.replaceChildren(...shown.map(unfurl));
  }

  async attach(files) {
    for (const file of files) {
      if (file.size > LARGEST) toast(`${file.name} has more than 10 MB.`);
      else this.files.push({ name: file.name, content: await base64(file) });
    }
    this.picker.value = "";
    this.showFiles();
    this.area.focus();
  }

  showFiles() {
    this.chips.replaceChildren(
      ...this.files.map((file) =>
        h(
          "button",
          {
            class: "chip",
            type: "button",
            "aria-label": `Remove ${file.name}`,
            on: { click: () => this.remove(file) },
          },
          `📄 ${file.name} ✕`,
        ),
      ),
    );
  }

  remove(file) {
    this.files = this.files.filter((other) => other !== file);
    this.showFiles();
  }

  send(text = this.area.value) {
    const typed = text.trim();
    if (!typed && !this.files.length) return null;
    const { channel, thread_ts } = this.where();
    const files = this.files;
    const slash = /^(\/[a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(typed);
    if (slash && !this.mayRun(slash[1], thread_ts)) return null;
    this.history.push(typed);
    this.clear();
    const done = slash
      ? act("slash", { channel, command: slash[1], text: slash[2] ?? "" })
      : act("post", { channel, text: withMentions(typed), thread_ts, files });
    return done.then((answer) => answer ?? this.giveBack(typed, files));
  }

  // What could not be sent is not lost.
  giveBack(typed, files) {
    if (this.area.value !== "") return;
    this.area.value = typed;
    this.files = files;
    this.showFiles();
    this.changed();
  }

  mayRun(command, thread) {
    const known = store.menu.commands.some((row) => row.command === command);
    if (!known) toast(`${command} is not a valid command.`);
    else if (thread) toast(`${command} is not supported in threads, as in Slack. Write without the slash here.`);
    return known && !thread;
  }

  clear() {
    this.area.value = "";
    this.files = [];
    this.showFiles();
    this.linked.clear();
    this.showPreview();
    this.changed();
  }
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
