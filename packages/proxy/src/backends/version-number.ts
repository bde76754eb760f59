/** Labels are the trainer's: "7" and "step-7" are version 7, "default" is none, nor is a number beyond 2^53. */
export function versionNumber(label: string | null | undefined): number | null {
  const digits = /(\d+)$/.exec(label ?? "")?.[1];
  const version = Number(digits);
  return digits !== undefined && Number.isSafeInteger(version) ? version : null;
}
