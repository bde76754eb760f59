import { AppError } from "@liverl/contract/app-error";

/**
 * Private-use characters that carry meaning through a template and are gone before encoding.
 * A breaker makes a control token's text in somebody's content unrecognisable; an open and a close
 * mark hold a number's text; an anchor marks the place of a turn whose ids are already held.
 */
export interface Marks {
  breaker: string;
  open: string;
  close: string;
  anchor: string;
}

const FIRST = 0xe000;
const LAST = 0xf8ff;
const ANY = /[\ue000-\uf8ff]/;
const DEFAULT: Marks = { breaker: "\ue000", open: "\ue001", close: "\ue002", anchor: "\ue003" };

/** Marks that do not occur in `text`, which is all that the template will see. Throws BAD_REQUEST. */
export function chooseMarks(text: string): Marks {
  if (!ANY.test(text)) return DEFAULT;
  const taken = new Set(text);
  const free: string[] = [];
  for (let code = FIRST; code <= LAST && free.length < 4; code++) {
    const mark = String.fromCharCode(code);
    if (!taken.has(mark)) free.push(mark);
  }
  const [breaker, open, close, anchor] = free;
  if (!breaker || !open || !close || !anchor) {
    throw new AppError("BAD_REQUEST", {
      userMessage: "The messages use every private-use character; leave four of them free.",
    });
  }
  return { breaker, open, close, anchor };
}

/** `"␂1.0␃"`, as `tojson` writes a marked number, and `␂1.0␃`, as it stands in plain output, become `1.0`. */
export function resolveNumbers(rendered: string, { open, close }: Marks): string {
  if (!rendered.includes(open)) return rendered;
  const marked = new RegExp(`"${open}([^${close}]*)${close}"|${open}([^${close}]*)${close}`, "g");
  return rendered.replace(marked, (_, quoted?: string, plain?: string) => quoted ?? plain ?? "");
}
