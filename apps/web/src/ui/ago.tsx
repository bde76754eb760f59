"use client";
import { formatExact, formatWhen } from "#ui/format-time.ts";
import { useNow } from "#ui/use-now.ts";

const DAY_MS = 86_400_000;

/** A moment within a sentence: `5 m ago`, and after a day `on 2026-11-21`. */
export function Ago({ at }: { at: string }) {
  const now = useNow(5_000);
  const words = now === null ? "" : formatWhen(at, now);
  const isOld = now !== null && now - Date.parse(at) >= DAY_MS;
  return (
    <time dateTime={at} title={formatExact(at)} suppressHydrationWarning>
      {words === "" ? "" : isOld ? `on ${words}` : `${words} ago`}
    </time>
  );
}
