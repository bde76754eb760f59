import { stripVTControlCharacters } from "node:util";

/** Longer lines are cut: what names an error stands at the begin. */
const LONGEST = 4_000;
const STAMP =
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?: (?:(?:DP|TP|PP|EP|ATTN_)\d+ ?)+| [DIWEF] \d+ \d+)?\]? ?/;
const RANK =
  /^(?:\[rank\d{1,5}\]: ?|\[default\d{1,5}\]: ?| {0,3}\d{1,4}: (?=\[rank|Traceback| {2}File|\w[\w.]*Error))/;
/** The prefix that vLLM and glog put before each line of a traceback. */
const VLLM = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]{1,120}\] ?/;
const REPEATED = " [repeated ";

export interface LogText {
  /** The process that printed the line; empty where the line does not say. */
  stream: string;
  /** The line without colours, times and prefixes; indentation stays. */
  text: string;
  isWarning: boolean;
  isError: boolean;
}

/** Takes the prefixes of Ray, torchrun, Docker, Slurm and vLLM off a line. Pure, linear. */
export function readLogText(raw: string): LogText {
  const cut = raw.length > LONGEST ? raw.slice(0, LONGEST) : raw;
  const plain = (cut.includes("\u001b") ? stripVTControlCharacters(cut) : cut).trimEnd();
  let line: LogText = { stream: "", text: plain, isWarning: false, isError: false };
  // Each prefix may stand once, in any order.
  for (let round = 0; round < 5; round += 1) {
    const next = withoutPrefix(line);
    if (next === null) break;
    line = next;
  }
  if (line.text.endsWith("x across cluster]"))
    line.text = line.text.slice(0, line.text.lastIndexOf(REPEATED));
  // Bars of an exception group.
  if (/^\s+[|+]/.test(line.text)) line.text = line.text.replace(/^\s+[|+] ?/, "");
  return line;
}

function withoutPrefix(line: LogText): LogText | null {
  const { text, stream } = line;
  if (text.startsWith("(")) {
    const process = processOf(text);
    return process && { ...line, stream: stream || process.name, text: text.slice(process.end) };
  }
  const rank = RANK.exec(text)?.[0];
  if (rank !== undefined)
    return { ...line, stream: stream || rank.trim(), text: text.slice(rank.length) };
  const stamp = STAMP.exec(text)?.[0];
  if (stamp !== undefined) return { ...line, text: text.slice(stamp.length) };
  const level = VLLM.exec(text);
  if (!level) return null;
  return {
    stream,
    text: text.slice(level[0].length),
    isWarning: line.isWarning || level[1] === "WARNING",
    isError: line.isError || level[1] === "ERROR" || level[1] === "CRITICAL",
  };
}

/** `(WorkerDict pid=12, ip=10.0.0.2) ` at the start of a line. */
function processOf(text: string): { name: string; end: number } | null {
  const head = text.slice(0, 240);
  const pid = head.indexOf("pid=");
  const isRaylet = head.startsWith("(raylet") || head.startsWith("(autoscaler");
  if (pid === -1 && !isRaylet) return null;
  const close = head.indexOf(")", isRaylet ? 0 : pid);
  if (close === -1 || head.slice(0, close).includes('"')) return null;
  const end = head[close + 1] === " " ? close + 2 : close + 1;
  return { name: head.slice(1, close), end };
}
