"use client";
import { useCallback, useEffect, useState } from "react";

export interface Draft {
  /** Null until the text to start from is known. */
  text: string | null;
  setText: (text: string) => void;
  savedAtMs: number | null;
  /** Forgets what was typed and starts again from the base. */
  discard: () => void;
  /** Forgets the stored draft, for instance once it was launched. The text on the page stays as it is. */
  release: () => void;
}

/** YAML text that outlives a reload. `key` names what it began as; `initial` is the text without a draft. */
export function useDraft(key: string, initial: string | null): Draft {
  const place = `liverl.launch.${key}`;
  const [typed, setTyped] = useState<{
    place: string;
    text: string;
    savedAtMs: number | null;
  } | null>(null);
  const [isRead, setIsRead] = useState<string | null>(null);

  useEffect(() => {
    const stored = parseStored(localStorage.getItem(place));
    setTyped(stored === null ? null : { place, ...stored });
    setIsRead(place);
  }, [place]);

  const setText = useCallback(
    (text: string) => {
      const savedAtMs = Date.now();
      setTyped({ place, text, savedAtMs });
      localStorage.setItem(place, JSON.stringify({ text, savedAtMs }));
    },
    [place],
  );
  const discard = useCallback(() => {
    localStorage.removeItem(place);
    setTyped(null);
  }, [place]);

  const mine = typed?.place === place ? typed : null;
  const text = isRead === place ? (mine?.text ?? initial) : null;
  const release = useCallback(() => {
    localStorage.removeItem(place);
    // What the draft began as may change once it is launched, its name for one.
    if (text !== null) setTyped({ place, text, savedAtMs: null });
  }, [place, text]);
  return {
    text,
    setText,
    savedAtMs: mine?.savedAtMs ?? null,
    discard,
    release,
  };
}

function parseStored(stored: string | null): { text: string; savedAtMs: number } | null {
  if (stored === null) return null;
  try {
    const value: unknown = JSON.parse(stored);
    if (
      typeof value !== "object" ||
      value === null ||
      !("text" in value) ||
      !("savedAtMs" in value)
    )
      return null;
    return typeof value.text === "string" && typeof value.savedAtMs === "number"
      ? { text: value.text, savedAtMs: value.savedAtMs }
      : null;
  } catch {
    // A damaged draft is no draft.
    return null;
  }
}
