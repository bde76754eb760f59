import { LOG_LIMITS } from "@liverl/contract/metric";
import { isStorable } from "@liverl/contract/storable";

/** Steps are 32-bit integers in the store. */
const MAX_STEP = 2 ** 31 - 1;
/** The last moment that a Date can name. */
const MAX_WALL_MS = 8.64e15;

/** What is wrong with a metric's key; null when nothing is. */
export function keyFault(key: string): string | null {
  if (key.length === 0 || key.length > LOG_LIMITS.keyLength)
    return `a key of ${key.length} characters`;
  return isStorable(key) ? null : "a key with a NUL or half a character";
}

/** Steps count from 0 wherever they are shown or asked for. */
export function stepFault(step: number): string | null {
  if (step < 0) return `step ${step} is below 0: steps count from 0`;
  return Number.isInteger(step) && step <= MAX_STEP
    ? null
    : `step ${step} is not a whole number of 32 bits`;
}

export function timeFault(wallMs: number): string | null {
  return wallMs >= 0 && wallMs <= MAX_WALL_MS ? null : `${wallMs} is not a time`;
}
