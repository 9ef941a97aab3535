// Modals: the topmost view of this person, in a dialog that keeps the focus inside.

import { act } from "./api.js";
import { renderBlocks } from "./blocks.js";
import { focusPath, h, restoreFocus, toast } from "./dom.js";
import { formValues, missing } from "./elements.js";
import { opening, pretty } from "./json.js";
import { me, stack } from "./store.js";

const dialog = h("dialog", { class: "modal", "aria-labelledby": "modal-title" });
const values = new Map(); // view id → "block/action" → value; what was typed outlives an update of the view
let shown = null; // "id/hash/errors" of what stands in the dialog
let opener = null;
let localErrors = {};

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  close();
});
document.body.append(dialog);

const top = () => stack().at(-1);
const close = () => act("close", { view: top().id });

export function showModal() {
  const view = top();
  if (!view) return hide();
  if (!dialog.open) {
    opener = focusOf(document.activeElement);
    dialog.showModal();
  }
  const version = JSON.stringify([view.id, view.hash, view.errors, localErrors[view.id]]);
  if (version !== shown) draw(view, version);
}

function hide() {
  if (!dialog.open) return;
  dialog.close();
  dialog.replaceChildren();
  shown = null;
  localErrors = {};
  values.clear();
  const back = opener?.node.isConnected
    ? opener.node
    : [...document.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === opener?.part);
  (back ?? document.getElementById("composer-text"))?.focus();
}

const focusOf = (node) => node && { node, part: node.dataset?.focus };

function draw(view, version) {
  const sameView = shown && JSON.parse(shown)[0] === view.id;
  const path = focusPath(dialog);
  const scroll = dialog.querySelector(".modal-body")?.scrollTop ?? 0;
  shown = version;
  dialog.replaceChildren(form(view));
  if (sameView) {
    restoreFocus(dialog, path);
    dialog.querySelector(".modal-body").scrollTop = scroll;
  }
  const wrong = dialog.querySelector(".failed .control");
  if (wrong) wrong.focus();
  else if (!dialog.contains(document.activeElement) || document.activeElement === dialog) {
    (
      dialog.querySelector("[autofocus], .modal-body .control, .modal-body button, .modal-body input") ??
      dialog.querySelector("h2")
    ).focus();
  }
}

function form(view) {
  const given = view.payload;
  if (!values.has(view.id)) values.set(view.id, new Map());
  const ctx = {
    tz: me().tz,
    heading: 2,
    place: { view: view.id },
    values: values.get(view.id),
    errors: { ...localErrors[view.id], ...view.errors },
  };
  const submitted = (event) => {
    event.preventDefault();
    submit(view, event.currentTarget);
  };
  return h(
    "form",
    { novalidate: true, on: { submit: submitted } },
    h(
      "header",
      { class: "modal-head" },
      h("img", { src: "/static/icon.svg", alt: "", width: "24", height: "24" }),
      h("h2", { id: "modal-title", tabindex: "-1" }, given.title.text),
      h("button", { class: "icon-button", type: "button", "aria-label": "Close", on: { click: close } }, "✕"),
    ),
    h(
      "div",
      { class: "modal-body" },
      renderBlocks(view.payload.blocks, ctx),
      opening({ class: "payload" }, "The view's payload", () => pretty(given, "Payload of this view")),
    ),
    h(
      "footer",
      { class: "modal-foot" },
      stack().length > 1 && h("span", { class: "depth" }, `${stack().length} of 3 views`),
      h(
        "button",
        { class: "button", type: "button", data: { focus: "close" }, on: { click: close } },
        given.close?.text ?? (given.submit ? "Cancel" : "Close"),
      ),
      given.submit &&
        h(
          "button",
          { class: "button primary", data: { focus: "submit" }, disabled: given.submit_disabled },
          given.submit.text,
        ),
    ),
  );
}

async function submit(view, node) {
  if (node.getAttribute("aria-busy")) return;
  const kept = values.get(view.id);
  const empty = missing(view.payload.blocks, kept);
  localErrors = {
    [view.id]: Object.fromEntries(empty.map((block) => [block.block_id, "Please complete this required field."])),
  };
  if (empty.length) return showModal();
  node.setAttribute("aria-busy", "true");
  const answer = await act("submit", { view: view.id, values: formValues(view.payload.blocks, kept) });
  node.removeAttribute("aria-busy");
  if (answer?.error) toast(`⚠️ The app did not take this form: ${answer.error}`);
}
