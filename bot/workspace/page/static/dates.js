// Dates in the reader's time zone. https://docs.slack.dev/messaging/formatting-message-text#date-formatting

const LOCALE = "en-US";
const shown = (seconds, tz, options) =>
  new Intl.DateTimeFormat(LOCALE, { timeZone: tz, ...options }).format(seconds * 1000);
const dayOf = (seconds, tz) => shown(seconds, tz, { year: "numeric", month: "2-digit", day: "2-digit" });

function near(seconds, tz) {
  const now = Date.now() / 1000;
  const names = [
    [0, "Today"],
    [-86400, "Yesterday"],
    [86400, "Tomorrow"],
  ];
  return names.find(([shift]) => dayOf(now + shift, tz) === dayOf(seconds, tz))?.[1];
}

function ordinal(day) {
  const teens = day > 10 && day < 14;
  return `${day}${(!teens && ["th", "st", "nd", "rd"][day % 10]) || "th"}`;
}

function date(seconds, tz, month, weekday) {
  const part = (options) => shown(seconds, tz, options);
  const name = weekday ? `${part({ weekday: "long" })}, ` : "";
  const day = Number(part({ day: "numeric" }));
  return `${name}${part({ month })} ${month === "short" ? day : ordinal(day)}, ${part({ year: "numeric" })}`;
}

function ago(seconds) {
  const units = [
    ["year", 31536000],
    ["month", 2592000],
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ];
  const passed = Math.round(seconds - Date.now() / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(passed) >= length) ?? units.at(-1);
  return new Intl.RelativeTimeFormat(LOCALE).format(Math.trunc(passed / size), unit);
}

const DATES = { date: ["long", false], date_short: ["short", false], date_long: ["long", true] };
const TOKENS = {
  __proto__: null,
  ...Object.fromEntries(
    Object.entries(DATES).flatMap(([name, how]) => [
      [name, (s, tz) => date(s, tz, ...how)],
      [`${name}_pretty`, (s, tz) => near(s, tz) ?? date(s, tz, ...how)],
    ]),
  ),
  date_num: (s, tz) => new Date(s * 1000).toLocaleDateString("sv-SE", { timeZone: tz }),
  date_slash: (s, tz) => shown(s, tz, { year: "numeric", month: "2-digit", day: "2-digit" }),
  day_divider_pretty: (s, tz) => near(s, tz) ?? date(s, tz, "long", true),
  time: (s, tz) => shown(s, tz, { hour: "numeric", minute: "2-digit" }),
  time_secs: (s, tz) => shown(s, tz, { hour: "numeric", minute: "2-digit", second: "2-digit" }),
  ago: (s) => ago(s),
};

// "{date_short_pretty} at {time}" as Slack writes it: a day's nickname is small inside a sentence.
export function formatDate(seconds, format, tz) {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > 8e12) return null;
  return format.replace(/\{(\w+)\}/g, (whole, name) => TOKENS[name]?.(seconds, tz) ?? whole);
}

export const clock = (ts, tz) => formatDate(Number(ts), "{time}", tz);
export const day = (ts, tz) => formatDate(Number(ts), "{day_divider_pretty}", tz);

// The instant of "2026-04-06T20:00" on a clock in `tz`, in seconds.
export function instant(local, tz) {
  const guess = Date.parse(`${local}Z`) / 1000;
  return Number.isNaN(guess) ? null : guess + (guess - Date.parse(`${wall(guess, tz)}Z`) / 1000);
}

// What a clock in `tz` shows at an instant: "2026-04-06T20:00".
export function wall(seconds, tz) {
  return new Date(seconds * 1000).toLocaleString("sv-SE", { timeZone: tz }).replace(" ", "T").slice(0, 16);
}
