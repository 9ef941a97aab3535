// What this page cannot draw: its name and its JSON, in a box.

import { h } from "./dom.js";
import { pretty } from "./json.js";

export const unknown = (thing) =>
  h("details", { class: "unknown" }, h("summary", null, `${thing?.type ?? "?"}: not drawn here`), pretty(thing));
