import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { Message } from "@liverl/contract/trajectory";
import { parseLossless } from "@liverl/proxy/json/parse-lossless";
import type { Renderer } from "@liverl/proxy/renderer/renderer";
import { type FolderMeta, loadFolder } from "./prepare.ts";
import { fieldsOf, type Outcome } from "./render-sides.ts";

interface Prompt extends Outcome {
  /** Of the whole text, control tokens wherever their text stands. */
  ids?: number[];
  /** Of the whole text, none in what a client gave. */
  split?: number[];
}

interface Counts {
  equal: number;
  refused: number;
  different: string[];
}

const read = <T>(work: string, name: string): T[] =>
  readFileSync(join(work, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Text against text: equal, refused by both, or different. */
function compareOutcomes(ours: readonly Outcome[], theirs: readonly Outcome[]): Counts {
  const counts: Counts = { equal: 0, refused: 0, different: [] };
  if (ours.length !== theirs.length) counts.different.push("one side rendered more than the other");
  for (const [i, our] of ours.entries()) {
    const their = theirs[i];
    if (JSON.stringify(our.case) !== JSON.stringify(their?.case) || our.text !== their?.text)
      counts.different.push(our.case.join(" · "));
    else if (our.text === undefined) counts.refused += 1;
    else counts.equal += 1;
  }
  return counts;
}

interface PromptCounts extends Counts {
  name: string;
  meta: FolderMeta;
  /** Prompts in whose given text stands a control token, so that the two encodings differ. */
  split: number;
  /** Of such prompts, those where the reference's own marks changed what the template wrote: see {@link isSplit}. */
  ownSplit: number;
}

/**
 * `transformers` puts marks into given text, which a template that looks for `</think>` or trims then treats otherwise,
 * and it leaves keys alone. There the ids must say the unmarked text, and none of what a client wrote may be a control
 * token where it stands whole.
 */
function isSplit(
  { decode }: { decode: (ids: readonly number[]) => string },
  {
    ids,
    text,
    line,
    added,
  }: { ids: readonly number[]; text: string; line: string; added: ReadonlySet<number> },
): boolean {
  if (decode(ids) !== text) return false;
  const given = stringsOf(JSON.parse(line));
  return ids.every((id, i) => {
    if (!added.has(id)) return true;
    const token = decode([id]);
    const at = decode(ids.slice(0, i)).length;
    return !given.some((whole) => {
      const found = whole.includes(token) ? text.indexOf(whole) : -1;
      return found >= 0 && at >= found && at + token.length <= found + whole.length;
    });
  });
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

/** Ids of the proxy's prompts of one model folder. */
async function comparePrompts(
  work: string,
  name: string,
  theirs: readonly Prompt[],
): Promise<PromptCounts> {
  const { renderer, meta } = await loadFolder(join(work, "models", name));
  const counts = {
    name,
    meta,
    equal: 0,
    refused: 0,
    split: 0,
    ownSplit: 0,
    different: [] as string[],
  };
  const wire = readFileSync(join(work, "wire.jsonl"), "utf8").trimEnd().split("\n");
  const file = readFileSync(join(work, "models", name, "tokenizer.json"), "utf8");
  const { added_tokens: tokens } = JSON.parse(file) as { added_tokens: { id: number }[] };
  const added = new Set(tokens.map(({ id }) => id));
  const decode = (ids: readonly number[]) => renderer?.decode(ids) ?? "";
  for (const [i, line] of wire.entries()) {
    const their = theirs[i];
    const ids = renderer && (await promptIds(renderer, line));
    const text = their?.text ?? "";
    if (ids === null && their?.ids === undefined) counts.refused += 1;
    else if (ids?.join() === their?.split?.join()) {
      counts.equal += 1;
      if (their?.ids?.join() !== their?.split?.join()) counts.split += 1;
    } else if (ids && isSplit({ decode }, { ids, text, line, added })) counts.ownSplit += 1;
    else counts.different.push(String(their?.case[1]));
  }
  return counts;
}

/** Null where the template refuses the conversation. */
async function promptIds(renderer: Renderer, line: string): Promise<readonly number[] | null> {
  const { messages } = JSON.parse(line) as { messages: Message[] };
  const tools = fieldsOf(parseLossless(line)).get("tools");
  const definitions =
    tools?.kind === "array" ? { text: line.slice(tools.start, tools.end), value: tools } : null;
  try {
    return await renderer.renderRoot(messages, definitions);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The whole comparison. */
export async function compare(
  work: string,
  ours: { templates: readonly Outcome[]; snippets: readonly Outcome[] },
) {
  const templates = compareOutcomes(ours.templates, read(work, "reference-templates.jsonl"));
  const snippets = compareOutcomes(ours.snippets, read(work, "reference-snippets.jsonl"));
  const byFolder = new Map<string, Prompt[]>();
  for (const prompt of read<Prompt>(work, "reference-prompts.jsonl")) {
    const name = String(prompt.case[0]);
    byFolder.set(name, [...(byFolder.get(name) ?? []), prompt]);
  }
  const prompts: PromptCounts[] = [];
  for (const [name, theirs] of byFolder) prompts.push(await comparePrompts(work, name, theirs));
  const sum = (of: (counts: PromptCounts) => number) =>
    prompts.reduce((total, counts) => total + of(counts), 0);
  const { transformers } = JSON.parse(readFileSync(join(work, "versions.json"), "utf8"));
  const different = [
    ...templates.different,
    ...snippets.different,
    ...prompts.flatMap(({ name, different }) => different.map((title) => `${name} · ${title}`)),
  ];
  const figures = {
    transformers,
    templates: prompts.length,
    texts: { equal: templates.equal, refusedByBoth: templates.refused },
    snippets: { equal: snippets.equal, refusedByBoth: snippets.refused },
    prompts: {
      equal: sum(({ equal }) => equal),
      withControlTextInContent: sum(({ split }) => split),
      splitByTextAlone: sum(({ ownSplit }) => ownSplit),
      refusedByBoth: sum(({ refused }) => refused),
    },
    proven: prompts.filter(({ meta }) => meta.family !== null).length,
    refused: prompts.filter(({ meta }) => meta.family === null).length,
    different: different.length,
  };
  const ok = different.length === 0 && templates.equal > 0 && figures.prompts.equal > 0;
  return {
    table: [...tableOf(prompts), ...different.map((title) => `✗ ${title}`)].join("\n"),
    summary: { name: "render-parity", ok, figures },
  };
}

function tableOf(prompts: readonly PromptCounts[]): string[] {
  const rows = prompts.map(({ name, meta, equal, split, ownSplit, refused, different }) => [
    name,
    String(equal),
    String(split),
    String(ownSplit),
    String(refused),
    String(different.length),
    meta.family === null
      ? `refused: ${meta.refused?.slice(0, 100)}`
      : `${meta.family}, drops thought ${meta.drop}, late system ${meta.takesLateSystem ? "in place" : "folded"}`,
  ]);
  const head = [
    "template",
    "equal ids",
    "of them split",
    "split, by text alone",
    "refused by both",
    "different",
    "start-up check",
  ];
  const widths = head.map((title, i) =>
    Math.max(...[head, ...rows].map((row) => (row[i] ?? title).length)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
