// A text object: plain_text or mrkdwn.

import { withEmoji } from "./emoji.js";
import { mrkdwn } from "./mrkdwn.js";

export const words = (text, tz) =>
  text.type === "mrkdwn" ? mrkdwn(text.text, tz) : text.emoji === false ? text.text : withEmoji(text.text);
