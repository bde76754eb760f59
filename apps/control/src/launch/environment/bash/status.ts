import { plain, show, type Text } from "#launch/environment/bash/text.ts";

/** How a command ended. What is not known has a likely code. */
export interface Status {
  code: number;
  /** Null: the code is known. Else what would tell, for people. */
  question: string | null;
}
export const DONE: Status = { code: 0, question: null };
export const failed = (code = 1): Status => ({ code, question: null });

/** `break`, `continue`, `return` and `exit` on their way out. */
export class Jump extends Error {
  readonly kind: "break" | "continue" | "return" | "exit";
  /** Levels of a loop, or a status. */
  readonly value: number;
  constructor(kind: Jump["kind"], value: number) {
    super(kind);
    this.kind = kind;
    this.value = value;
  }
}

/** The script takes more than a reading may: what was found until then counts. */
export class TooMuch extends Error {}

export const LIMITS = { steps: 400_000, characters: 4_000_000, depth: 40, pieces: 20_000 };

/** Programs that print nothing where all goes well. */
export function isSilent(argv: readonly Text[]): boolean {
  const [name = "", ...words] = argv.map((text) => plain(text) ?? show(text));
  if (/^python/.test(name) && words.includes("-c")) return !/print|write/.test(words.join(" "));
  return /^(?:mkdir|rm|cp|mv|ln|touch|chmod|chown|sleep|kill|pkill|killall|sync)$/.test(name);
}

const FOUND = /^(?:nvidia-smi|python3?|bash|sh|ray|git|pip3?|tee|awk|sed|curl)$/;

/** Most programs succeed. Searches and probes of hardware that LiveRL does not run on fail. */
export function likelyCode(argv: readonly Text[]): number {
  const words = argv.map((text) => plain(text) ?? "");
  const [name = "", first = ""] = words;
  if (name === "grep" || name === "egrep" || name === "pgrep" || name === "pidof") return 1;
  if (/^(?:npu-smi|rocm-smi|rocminfo|hl-smi|mthreads-gmi|cnmon|diff|cmp|nc)$/.test(name)) return 1;
  if (name === "which" || name === "type" || name === "hash") return FOUND.test(first) ? 0 : 1;
  if (/^python/.test(name) && /\b(?:torch_npu|torch_musa|torch_xla|habana)/.test(words.join(" ")))
    return 1;
  return 0;
}

export const isLikelyFound = (name: string): boolean => FOUND.test(name);
