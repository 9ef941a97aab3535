// The confirmation that an element may ask for.

import { h } from "./dom.js";
import { me } from "./store.js";
import { words } from "./words.js";

export function confirmed(ask) {
  return new Promise((resolve) => {
    const yes = h("button", { class: `button ${ask.style ?? "primary"}`, value: "yes" }, ask.confirm.text);
    const dialog = h(
      "dialog",
      { class: "modal confirm", "aria-labelledby": "confirm-title" },
      h(
        "form",
        { method: "dialog" },
        h("h2", { id: "confirm-title" }, ask.title.text),
        h("div", { class: "modal-body" }, words(ask.text, me().tz)),
        h("div", { class: "modal-foot" }, h("button", { class: "button", value: "no" }, ask.deny.text), yes),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
