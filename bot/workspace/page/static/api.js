// What this person does → POST /ui/NAME; and the stream of what happens.

import { store } from "./store.js";
import { toast } from "./dom.js";

// Resolves to the answer, or to null after saying what went wrong.
export async function act(name, body) {
  let answer;
  try {
    const response = await fetch(`/ui/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user: store.me, ...body }),
    });
    answer = { ok: response.ok, ...(await response.json()) };
  } catch {
    toast("The workspace does not answer. Is the demo still running?");
    return null;
  }
  if (!answer.ok) {
    toast(answer.error);
    return null;
  }
  return answer;
}

export function listen(onChange, onState) {
  const source = new EventSource("/ui/changes");
  source.onmessage = (event) => onChange(JSON.parse(event.data));
  source.onopen = () => onState(true);
  source.onerror = () => onState(false);
}
