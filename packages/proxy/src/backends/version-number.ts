import { trimEnd } from "@liverl/contract/trim-end";

/** Labels are the trainer's: "7" and "step-7" are version 7, "default" is none, nor is a number beyond 2^53. */
export function versionNumber(label: string | null | undefined): number | null {
  const text = label ?? "";
  const digits = text.slice(trimEnd(text, "0123456789").length);
  const version = Number(digits);
  return digits !== "" && Number.isSafeInteger(version) ? version : null;
}
