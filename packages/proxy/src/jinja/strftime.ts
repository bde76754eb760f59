const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const two = (value: number) => String(value).padStart(2, "0");
const dayOfYear = (at: Date) =>
  Math.round(
    (Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) - Date.UTC(at.getFullYear(), 0, 0)) /
      86_400_000,
  );

const DIRECTIVES: Readonly<Record<string, (at: Date) => string>> = {
  d: (at) => two(at.getDate()),
  m: (at) => two(at.getMonth() + 1),
  Y: (at) => String(at.getFullYear()),
  y: (at) => two(at.getFullYear() % 100),
  b: (at) => (MONTHS[at.getMonth()] ?? "").slice(0, 3),
  B: (at) => MONTHS[at.getMonth()] ?? "",
  a: (at) => (DAYS[at.getDay()] ?? "").slice(0, 3),
  A: (at) => DAYS[at.getDay()] ?? "",
  w: (at) => String(at.getDay()),
  H: (at) => two(at.getHours()),
  I: (at) => two(at.getHours() % 12 || 12),
  M: (at) => two(at.getMinutes()),
  S: (at) => two(at.getSeconds()),
  p: (at) => (at.getHours() < 12 ? "AM" : "PM"),
  j: (at) => String(dayOfYear(at)).padStart(3, "0"),
  F: (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
  T: (at) => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`,
  "-d": (at) => String(at.getDate()),
  "-m": (at) => String(at.getMonth() + 1),
  "%": () => "%",
};

/** `datetime.strftime` in the C locale, local time; directives that are not known stay as they are. */
export function strftime(format: string, at: Date): string {
  return format.replace(/%(-[dm]|.)/g, (whole, name) => DIRECTIVES[name]?.(at) ?? whole);
}
