import { useEffect, useRef, useState } from "react";

/**
 * The text of a field whose `value` is applied a moment after it was typed. A value that comes back as it was sent is an echo, which
 * takes no letter from what was typed since; any other is from outside, such as Back or a saved filter, and becomes the text.
 */
export function useDraft(value: string) {
  const [text, setText] = useState(value);
  const sent = useRef<readonly string[]>([]);
  useEffect(() => {
    const heard = hearValue(sent.current, value);
    sent.current = heard.sent;
    if (!heard.isEcho) setText(value);
  }, [value]);
  /** Is called with what is about to be applied. */
  const send = (next: string) => {
    sent.current = sendValue(sent.current, value, next);
  };
  return { text, setText, send };
}

/** What is on its way, oldest first, once `next` is; what leads back to the value has no echo. Blanks around a value count for nothing. */
export function sendValue(sent: readonly string[], value: string, next: string): readonly string[] {
  if (next.trim() === value.trim()) return [];
  const last = sent.at(-1);
  return next.trim() === last ? sent : [...sent, next.trim()];
}

/** What is still on its way once a value has come; several that were sent may come as the last of them. */
export function hearValue(
  sent: readonly string[],
  value: string,
): { sent: readonly string[]; isEcho: boolean } {
  const echo = sent.indexOf(value.trim());
  return { sent: echo < 0 ? [] : sent.slice(echo + 1), isEcho: echo >= 0 };
}
