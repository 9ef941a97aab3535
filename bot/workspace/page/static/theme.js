// Dark or light: as the system says, until somebody chooses.

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const SIGN = { auto: "◐", light: "☀", dark: "☾" };

export function startTheme(button) {
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = SIGN[theme];
    button.setAttribute("aria-label", `Theme: ${theme}. Change`);
    button.title = `Theme: ${theme}`;
  };
  show(remembered());
  button.addEventListener("click", () => {
    const theme = NEXT[document.documentElement.dataset.theme];
    localStorage.setItem("theme", theme);
    show(theme);
  });
}

const remembered = () => {
  const theme = localStorage.getItem("theme");
  return theme in NEXT ? theme : "auto";
};
