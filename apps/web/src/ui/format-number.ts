/** A true minus, and at most `digits` decimals. */
function fixed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** What a value that is not finite reads as; null when it is finite. */
function special(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return "—";
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "−Inf";
  return null;
}

/** `6.4e−4`. */
export function formatExponent(value: number): string {
  if (value === 0) return "0";
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential(1).split("e");
  const power = Number(exponent);
  return `${value < 0 ? "−" : ""}${mantissa}e${power < 0 ? "−" : ""}${Math.abs(power)}`;
}

/** Counts: `1,043` in full to 9,999, then `38.2k`, `1.28M`, `2.10G`, and powers of ten from `1.0e12`. */
export function formatCount(value: number | null | undefined): string {
  const other = special(value);
  if (other !== null || value === null || value === undefined) return other ?? "—";
  const size = Math.abs(value);
  if (size >= 999.995e9) return formatExponent(value);
  if (size >= 1e9) return `${fixed(value / 1e9, 2)}G`;
  if (size >= 999_950) return `${fixed(value / 1e6, 2)}M`;
  if (size >= 9_999.5) return `${fixed(value / 1e3, 1)}k`;
  return fixed(Math.round(value), 0).replace(/(\d)(\d{3})$/, "$1,$2");
}

/** Any number: four significant digits at most, tiny ones as `6.4e−4`, missing as `—`. */
export function formatNumber(value: number | null | undefined): string {
  const other = special(value);
  if (other !== null || value === null || value === undefined) return other ?? "—";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 9_999.5) return formatCount(value);
  if (size >= 999.5) return formatCount(value);
  if (size >= 100) return fixed(value, Number.isInteger(value) ? 0 : 1);
  if (size >= 10) return Number.isInteger(value) ? fixed(value, 0) : fixed(value, 1);
  if (size >= 1) return Number.isInteger(value) ? fixed(value, 0) : fixed(value, 2);
  if (size >= 0.1) return fixed(value, 3);
  if (size >= 1e-3) return fixed(value, 4);
  return formatExponent(value);
}

/** A share of 1 as percent: `45.7 %`, with a space; no decimal from 100 % up or when it is whole. */
export function formatPercent(share: number | null | undefined, digits = 1): string {
  const other = special(share);
  if (other !== null || share === null || share === undefined) return other ?? "—";
  const percent = share * 100;
  if (percent !== 0 && Math.abs(percent) < 0.05 && digits > 0) return `${fixed(percent, 2)} %`;
  return `${fixed(percent, Number.isInteger(Number(percent.toFixed(4))) ? 0 : digits)} %`;
}

/** `+0.03`, `−0.2`, `±0`: a change, with as many digits as the number itself would have. */
export function formatSigned(
  value: number | null | undefined,
  format: (size: number) => string = formatNumber,
): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "—";
  if (value === 0) return "±0";
  return `${value > 0 ? "+" : "−"}${format(Math.abs(value))}`;
}

/** `18.4 GB`, decimal units. */
export function formatBytes(bytes: number | null | undefined): string {
  const other = special(bytes);
  if (other !== null || bytes === null || bytes === undefined) return other ?? "—";
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let size = Math.abs(bytes);
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const text = unit === 0 || size >= 99.95 ? size.toFixed(0) : size.toFixed(1);
  return `${bytes < 0 ? "−" : ""}${text} ${units[unit]}`;
}
