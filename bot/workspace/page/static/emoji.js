// Slack's names of the emoji that apps here use. An unknown name stays as it was written.

const NAMES = {
  white_check_mark: "✅", heavy_check_mark: "✔️", x: "❌", no_entry: "⛔", no_entry_sign: "🚫", warning: "⚠️",
  question: "❓", grey_question: "❔", exclamation: "❗", information_source: "ℹ️", mag: "🔍", mag_right: "🔎",
  spider: "🕷️", spider_web: "🕸️", robot_face: "🤖", hourglass: "⌛", hourglass_flowing_sand: "⏳", clock1: "🕐",
  link: "🔗", page_facing_up: "📄", bar_chart: "📊", memo: "📝", bulb: "💡", gear: "⚙️", wrench: "🔧", bug: "🐛",
  eyes: "👀", wave: "👋", tada: "🎉", rocket: "🚀", fire: "🔥", "+1": "👍", thumbsup: "👍", "-1": "👎",
  thumbsdown: "👎", heart: "❤️", smile: "😄", slightly_smiling_face: "🙂", thinking_face: "🤔", pushpin: "📌",
  lock: "🔒", unlock: "🔓", key: "🔑", globe_with_meridians: "🌐", calendar: "📆", date: "📅", inbox_tray: "📥",
  outbox_tray: "📤", file_folder: "📁", clipboard: "📋", arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️",
  arrow_down: "⬇️", arrows_counterclockwise: "🔄", large_green_circle: "🟢", red_circle: "🔴",
  large_yellow_circle: "🟡", large_orange_circle: "🟠", white_circle: "⚪", black_circle: "⚫", star: "⭐",
  zap: "⚡", speech_balloon: "💬", house: "🏠", books: "📚", label: "🏷️", test_tube: "🧪", trash: "🗑️", wastebasket: "🗑️",
};

export const emoji = (name) => NAMES[name] ?? null;
export const withEmoji = (text) => text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => NAMES[name] ?? whole);
