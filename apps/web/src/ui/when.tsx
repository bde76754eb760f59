"use client";
import { formatExact, formatWhen } from "#ui/format-time.ts";
import { useNow } from "#ui/use-now.ts";

/** A moment as its age, exact in the tooltip, kept up to date. */
export function When({ at }: { at: string | null }) {
  const now = useNow(5000);
  if (at === null) return <span className="i3">—</span>;
  return (
    <time dateTime={at} title={formatExact(at)} suppressHydrationWarning>
      {now === null ? "" : formatWhen(at, now)}
    </time>
  );
}
