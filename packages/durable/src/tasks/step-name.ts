import { trimEnd } from "@liverl/contract/trim-end";

const RESERVED = /[<>:"/\\|?*]/;
const isControl = (character: string) => character < " " || character === "\x7f";
const WINDOWS_DEVICE = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³])$/i;
const MAX_BYTES = 255;

/** What is wrong with a step's name, which is a folder's name on every system; null when nothing is. */
export function faultOfStepName(name: string): string | null {
  const stem = trimEnd(name.split(".", 1)[0] ?? "", " ");
  if (
    name.trim() === "" ||
    /^\.{1,2}$/.test(name) ||
    /[. ]$/.test(name) ||
    RESERVED.test(name) ||
    [...name].some(isControl) ||
    WINDOWS_DEVICE.test(stem)
  ) {
    return "must be a folder's name on every system: no separators, control or reserved characters, device names, no dot or space at its end";
  }
  return Buffer.byteLength(name) > MAX_BYTES ? `must have at most ${MAX_BYTES} bytes` : null;
}

/** Equal for names that are one folder where case or Unicode form does not count. */
export function keyOfStepName(name: string): string {
  // Upper case first: "ß" and "SS" are one name, as in Python's casefold.
  return name.normalize("NFC").toUpperCase().toLowerCase();
}
