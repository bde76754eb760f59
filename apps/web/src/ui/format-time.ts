import { formatAge } from "#ui/format-duration.ts";

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Time of day on this computer: `14:02:11`. */
export function formatClock(at: string | number | Date | null | undefined): string {
  if (at === null || at === undefined) return "—";
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "—";
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** Date and time in full, for tooltips: `2026-11-21 14:02:11`. */
export function formatExact(at: string | number | Date | null | undefined): string {
  if (at === null || at === undefined) return "—";
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "—";
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${formatClock(time)}`;
}

/** Age below one day (`2 s`, `13 m`), the date after. */
export function formatWhen(
  at: string | number | Date | null | undefined,
  nowMs: number = Date.now(),
): string {
  if (at === null || at === undefined) return "—";
  const time = new Date(at).getTime();
  if (Number.isNaN(time)) return "—";
  const seconds = (nowMs - time) / 1000;
  if (seconds < 86_400) return formatAge(seconds);
  return formatExact(time).slice(0, 10);
}
