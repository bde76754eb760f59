/** `1.4 s`, `48 s`, `8 m 34 s`, `21 h 43 m`, `3 d`; below 0.1 s in milliseconds. Seconds in. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "—";
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s === 0) return "0 s";
  if (s < 0.1) return `${sign}${Math.max(1, Math.round(s * 1000))} ms`;
  if (s < 9.95) return `${sign}${s.toFixed(1)} s`;
  if (s < 59.5) return `${sign}${Math.round(s)} s`;
  const whole = Math.round(s);
  if (whole < 3600)
    return `${sign}${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, "0")} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 48 * 60)
    return `${sign}${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
  return `${sign}${Math.round(s / 86_400)} d`;
}

/** One unit only, for ages in tight places: `2 s`, `13 m`, `21 h`, `3 d`. */
export function formatAge(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "—";
  const s = Math.max(0, seconds);
  if (s < 59.5) return `${Math.round(s)} s`;
  if (s < 3570) return `${Math.round(s / 60)} m`;
  if (s < 86_400) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}
