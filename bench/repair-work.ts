import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RepairTask, TOOL_ANSWERS } from "@liverl/contract/repair-task";
import type { Episode, OpenEpisode } from "@liverl/embedded/direct/direct-rollouts";
import { hermes } from "@liverl/proxy/families/grammars/hermes";
import { parseLossless } from "@liverl/proxy/json/parse-lossless";
import { createProcessSandbox, type OwnedSandbox } from "@liverl/runner/sandboxes/process-sandbox";
import { repairFiles } from "@liverl/runner/sandboxes/repair-files";
import { runRepairTool } from "@liverl/runner/scaffolds/repair-tools";
import { type CodePool, openCodePool } from "@liverl/runner/verifier/code-pool";
import { verifyRepair } from "@liverl/runner/verifier/verify-repair";

const MAX_BAD_CALLS = 2;
const entry = fileURLToPath(new URL("code-worker.mjs", import.meta.url));
const warn = (text: string) => process.stderr.write(`${text}\n`);

const TOOLS = { text: "[]", value: parseLossless("[]") };
/** Each byte of the text is an id: the proxy's own grammar reads it. */
const BYTES = {
  bytesOf: (id: number) => Uint8Array.of(id),
  addedIds: new Map<string, number>(),
  hiddenIds: new Set<number>(),
};

function readCalls(text: string): { name: string; arguments: string }[] {
  const parser = hermes.start({ tools: TOOLS, promptIds: [], vocabulary: BYTES });
  parser.push([...Buffer.from(text, "utf8")]);
  return parser.end().toolCalls;
}

/** A sandbox that is nothing but text in memory. */
function memorySandbox(files: Readonly<Record<string, string>>): OwnedSandbox {
  const texts = new Map(Object.entries(files));
  return {
    root: "",
    read: async (path) => texts.get(path) ?? "",
    write: async (path, text) => void texts.set(path, text),
    destroy: async () => {},
  };
}

/**
 * The trial runner's own sandboxes, tools and verifier, called by functions instead of requests. Without `files`, tasks are
 * held in memory.
 */
export async function openRepairWork({
  maxTurns,
  files,
}: {
  maxTurns: number;
  files: boolean;
}): Promise<{
  open: OpenEpisode;
  close(): Promise<void>;
}> {
  const root = await mkdtemp(join(tmpdir(), "liverl-direct-"));
  const visible = openCodePool({ entry, size: 1, warn });
  const hidden = openCodePool({ entry, size: 1, warn });
  return {
    open: async (task, rolloutId) => {
      const sandbox = files
        ? await createProcessSandbox(join(root, rolloutId), repairFiles(task))
        : memorySandbox(repairFiles(task));
      return new RepairEpisode(task, sandbox, { visible, hidden }, maxTurns);
    },
    close: async () => {
      await Promise.all([visible.close(), hidden.close()]);
      await rm(root, { recursive: true, force: true });
    },
  };
}

class RepairEpisode implements Episode {
  turns = 0;
  #badCalls = 0;

  constructor(
    readonly task: RepairTask,
    readonly sandbox: OwnedSandbox,
    readonly pools: { visible: CodePool; hidden: CodePool },
    readonly maxTurns: number,
  ) {}

  async take(text: string): Promise<string | null> {
    this.turns++;
    const answers: string[] = [];
    const calls = readCalls(text);
    let isBad = calls.length === 0;
    for (const call of calls) {
      const { task, sandbox } = this;
      const answer = await runRepairTool({ task, sandbox, visible: this.pools.visible }, call);
      if (answer.isSubmit) return null;
      isBad ||= answer.isBadCall;
      answers.push(answer.text);
    }
    if (isBad && ++this.#badCalls >= MAX_BAD_CALLS) return null;
    if (this.turns >= this.maxTurns) return null;
    return answers.length > 0 ? answers.join("\n") : TOOL_ANSWERS.badCall;
  }

  async finish(): Promise<number> {
    const source = await this.sandbox.read(this.task.path);
    const { reward } = await verifyRepair(this.pools.hidden, this.task, source);
    void this.sandbox.destroy();
    return reward;
  }
}
