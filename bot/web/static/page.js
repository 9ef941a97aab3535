// Copy buttons: they appear where this runs, and nothing else depends on it.
"use strict";
for (const button of document.querySelectorAll("button[data-copy]")) {
  const target = document.getElementById(button.dataset.copy);
  const said = button.textContent;
  button.hidden = !target || !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(target.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = said; }, 1500);
  });
}
// A link from Slack to one step opens it.
const opened = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
if (opened && opened.tagName === "DETAILS") opened.open = true;
