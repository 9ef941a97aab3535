// Building the page: every word goes in as text, every address is checked. There is no innerHTML here, and the
// page's Content-Security-Policy (Trusted Types) makes the browser refuse one.

export function h(name, given, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(given ?? {})) set(node, key, value);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  else if (key === "data") Object.assign(node.dataset, value);
  else if (key === "value") node.value = value;
  else if (key === "checked") node.checked = value;
  else node.setAttribute(key, value === true ? "" : String(value));
}

const SCHEMES = ["http:", "https:", "mailto:"];

// An address that may be opened, or null: `javascript:` and the like are shown as words only.
export function safeAddress(url) {
  try {
    return SCHEMES.includes(new URL(url).protocol) ? url : null;
  } catch {
    return null;
  }
}

export function link(url, label, given) {
  const address = safeAddress(url);
  const words = label ?? url;
  if (address === null) return h("span", { class: "dead-link", title: "Not a web address" }, words);
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer", ...given }, words);
}

// Brings `container` to hold a node for each item, in order; a node is kept while its item's version stays the same.
export function reconcile(container, items, build) {
  const present = new Map([...container.children].map((node) => [node.dataset.key, node]));
  const focus = focusPath(container);
  const nodes = items.map((item) => {
    const old = present.get(item.key);
    if (old?.dataset.version === item.version) return old;
    const node = build(item);
    node.dataset.key = item.key;
    node.dataset.version = item.version;
    return node;
  });
  nodes.forEach((node, index) => {
    if (container.children[index] !== node) container.insertBefore(node, container.children[index] ?? null);
  });
  while (container.children.length > nodes.length) container.lastElementChild.remove();
  restoreFocus(container, focus);
}

// Where the focus is, in words that survive a rebuild: the item's key and the element's own.
export function focusPath(container) {
  const active = document.activeElement;
  if (!container.contains(active) || active === container) return null;
  const item = active.closest("[data-key]");
  const part = active.closest("[data-focus]");
  return { active, key: item?.dataset.key, part: part?.dataset.focus, caret: active.selectionStart };
}

export function restoreFocus(container, path) {
  if (!path || container.contains(path.active)) return;
  const item = [...container.querySelectorAll("[data-key]")].find((node) => node.dataset.key === path.key);
  const parts = [...(item ?? container).querySelectorAll("[data-focus]")];
  const target = parts.find((node) => node.dataset.focus === path.part) ?? item;
  target?.focus({ preventScroll: true });
  if (path.caret !== undefined && path.caret !== null && target?.setSelectionRange && target.type !== "number") {
    target.setSelectionRange(path.caret, path.caret);
  }
}

const toasts = document.getElementById("toasts");

export function toast(words) {
  const node = h("div", { class: "toast" }, words);
  // Everything outside an open dialog is behind it.
  (document.querySelector("dialog[open]") ?? document.body).append(toasts);
  toasts.append(node);
  setTimeout(() => node.remove(), 7000);
}
