"use client";
import { useEffect, useState } from "react";

/** The time in milliseconds, renewed each `everyMs`. Null until mounted, so that server and browser agree on the first paint. */
export function useNow(everyMs: number): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
