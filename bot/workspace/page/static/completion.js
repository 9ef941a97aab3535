// What the composer completes: `/` commands and shortcuts at the start, `@` people anywhere. A listbox beside the text.

import { h } from "./dom.js";
import { store } from "./store.js";

// The suggestions for a text up to the caret: { from, entries: [{ label, detail, insert | run }] }, or null.
export function suggestions(text, runShortcut) {
  const slash = /^\/(\S*)$/.exec(text);
  if (slash) return filled(0, commands(slash[1].toLowerCase(), runShortcut));
  const at = /(?:^|\s)@([\w ]{0,30})$/.exec(text);
  if (at) return filled(text.length - at[1].length - 1, people(at[1].toLowerCase()));
  return null;
}

const filled = (from, entries) => (entries.length ? { from, entries } : null);

function commands(begun, runShortcut) {
  const named = store.menu.commands
    .filter(({ command }) => command.slice(1).startsWith(begun))
    .map(({ command, hint, description }) => ({
      label: `${command} ${hint}`,
      detail: description,
      insert: `${command} `,
    }));
  const shortcuts = store.menu.shortcuts
    .filter((shortcut) => !shortcut.on_message && shortcut.name.toLowerCase().includes(begun))
    .map((shortcut) => ({
      label: shortcut.name,
      detail: `Shortcut · ${shortcut.description}`,
      run: () => runShortcut(shortcut),
    }));
  return [...named, ...shortcuts];
}

function people(begun) {
  const all = [...store.users.values()].sort((a, b) => Number(b.is_bot) - Number(a.is_bot));
  return all
    .filter((user) => [user.name, user.real_name].some((name) => name.toLowerCase().startsWith(begun)))
    .map((user) => ({
      label: user.real_name,
      detail: user.is_bot ? "App" : `@${user.name}`,
      insert: `@${user.is_bot ? user.real_name : user.name} `,
    }));
}

// Keeps a listbox beside a text area. `keydown` returns true for a key that it has used.
export class Completion {
  constructor(area, list, runShortcut) {
    Object.assign(this, { area, list, runShortcut, found: null, at: 0 });
    area.addEventListener("blur", () => setTimeout(() => this.close(), 150));
  }

  update() {
    const { value, selectionStart } = this.area;
    this.found = suggestions(value.slice(0, selectionStart), this.runShortcut);
    this.at = 0;
    this.draw();
  }

  close() {
    this.found = null;
    this.draw();
  }

  draw() {
    const entries = this.found?.entries ?? [];
    this.list.hidden = entries.length === 0;
    this.list.replaceChildren(...entries.map((entry, index) => this.option(entry, index)));
    const active = entries.length ? `${this.list.id}-${this.at}` : "";
    this.area.setAttribute("aria-activedescendant", active);
  }

  option(entry, index) {
    const choose = (event) => {
      event.preventDefault(); // the text area keeps the focus
      this.choose(index);
    };
    return h(
      "div",
      {
        id: `${this.list.id}-${index}`,
        role: "option",
        class: "option",
        "aria-selected": String(index === this.at),
        on: { pointerdown: choose },
      },
      h("strong", null, entry.label),
      h("small", null, entry.detail),
    );
  }

  choose(index) {
    const { from, entries } = this.found;
    const entry = entries[index];
    const end = this.area.selectionStart;
    this.area.setRangeText(entry.insert ?? "", from, end, "end");
    this.close();
    entry.run?.();
    this.area.dispatchEvent(new Event("input", { bubbles: true }));
    this.close();
  }

  keydown(event) {
    if (!this.found) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const count = this.found.entries.length;
      this.at = (this.at + step + count) % count;
      this.draw();
    } else if (event.key === "Tab" || (event.key === "Enter" && !this.typedWhole())) this.choose(this.at);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // "/inspect" typed to its end is a command already: Enter sends it.
  typedWhole() {
    return this.found.entries[this.at].insert?.trim() === this.area.value.trim();
  }
}
