// What this page cannot draw: its name and its JSON, in a box.

import { opening, pretty } from "./json.js";

export const unknown = (thing) =>
  opening({ class: "unknown" }, `${thing?.type ?? "?"}: not drawn here`, () => pretty(thing));
