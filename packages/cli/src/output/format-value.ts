const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** At most four significant digits; null for what is none. */
export function number(value: number | null | undefined): string | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e6 ? String(Number(value.toPrecision(4))) : value.toExponential(3);
}

/** 0 to 1 as percent. */
export function percent(share: number | null | undefined): string | null {
  return share === null || share === undefined ? null : `${(share * 100).toFixed(1)} %`;
}

/** In powers of 1000, as disks are sold. */
export function bytes(count: number | null | undefined): string | null {
  if (count === null || count === undefined) return null;
  const at = Math.min(
    UNITS.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)),
  );
  const value = count / 1000 ** at;
  return `${at === 0 ? value : value.toFixed(1)} ${UNITS[at]}`;
}

/** `1 h 02 m`, `3 m 20 s`, `4.2 s`, as the pages write them. */
export function duration(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined) return null;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h} h ${pad(m)} m` : `${m} m ${pad(s)} s`;
}

const pad = (value: number) => String(value).padStart(2, "0");

/** Seconds from one time to another, or to now while the other is not there. */
export function span(from: string | null, to: string | null): number | null {
  return from === null ? null : ((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000;
}

/** `2026-01-02 03:04:05`, in UTC. */
export function time(at: string | null | undefined): string | null {
  return at ? at.slice(0, 19).replace("T", " ") : null;
}
