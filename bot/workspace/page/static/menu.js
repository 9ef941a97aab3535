// A small menu that opens under a button: arrow keys, Home, End, Enter, Esc.

import { h } from "./dom.js";

let open = null;

export function closeMenu(refocus = true) {
  if (!open) return;
  const { list, anchor } = open;
  open = null;
  list.remove();
  anchor.setAttribute("aria-expanded", "false");
  if (refocus) anchor.focus();
}

// items: { label, description, run } or { label, href }
export function openMenu(anchor, items) {
  const again = open?.anchor === anchor;
  closeMenu(false);
  if (again) return;
  const list = h("div", { class: "menu", role: "menu", on: { keydown } }, items.map(entry));
  // Inside an open dialog everything else is inert, so the menu belongs to it.
  (anchor.closest("dialog") ?? document.body).append(list);
  anchor.setAttribute("aria-expanded", "true");
  open = { list, anchor };
  place(list, anchor.getBoundingClientRect());
  list.firstElementChild.focus();
}

function entry(item) {
  const words = [h("span", null, item.label), item.description && h("small", null, item.description)];
  const given = { role: "menuitem", class: "menu-item", tabindex: "-1" };
  const chosen = () => {
    closeMenu();
    item.run?.();
  };
  return item.href
    ? h("a", { ...given, href: item.href, target: "_blank", rel: "noopener noreferrer", on: { click: chosen } }, words)
    : h("button", { ...given, type: "button", on: { click: chosen } }, words);
}

function place(list, anchor) {
  const { width, height } = list.getBoundingClientRect();
  const below = anchor.bottom + 4 + height <= innerHeight;
  list.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`;
  list.style.top = `${below ? anchor.bottom + 4 : Math.max(8, anchor.top - height - 4)}px`;
}

const STEP = { ArrowDown: 1, ArrowUp: -1 };

function keydown(event) {
  const items = [...open.list.children];
  const at = items.indexOf(document.activeElement);
  const target =
    { Home: 0, End: items.length - 1 }[event.key] ??
    (event.key in STEP ? (at + STEP[event.key] + items.length) % items.length : null);
  if (target !== null) items[target].focus();
  else if (event.key === "Escape" || event.key === "Tab") closeMenu();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

addEventListener("pointerdown", (event) => {
  if (open && !open.list.contains(event.target) && !open.anchor.contains(event.target)) closeMenu(false);
});
addEventListener("resize", () => closeMenu(false));
