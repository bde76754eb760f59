/** Labels are the trainer's: "7" and "step-7" are version 7, "default" is none. */
export function versionNumber(label: string | null | undefined): number | null {
  const digits = /(\d+)$/.exec(label ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}
