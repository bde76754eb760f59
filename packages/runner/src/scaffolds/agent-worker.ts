/**
 * A warm process that runs many agents at once, all waiting for the model most of the time. Forked by the runner;
 * ends when the runner goes. argv: path of the code worker's bundle.
 */
import { parseRepairRef } from "@liverl/contract/repair-task";
import { openProcessSandbox } from "#sandboxes/process-sandbox.ts";
import {
  AgentCommand,
  type AgentJob,
  type AgentReport,
  type WorkerMessage,
} from "#scaffolds/agent-messages.ts";
import { ChatClient } from "#scaffolds/chat-client.ts";
import { type AgentEnding, runRepairAgent } from "#scaffolds/repair-agent.ts";
import { TrialError } from "#trials/trial-error.ts";
import { openCodePool } from "#verifier/code-pool.ts";

const codeWorkerEntry = process.argv[2];
if (!codeWorkerEntry) throw new Error("usage: agent-worker.mjs CODE_WORKER");

const visible = openCodePool({
  entry: codeWorkerEntry,
  size: 1,
  warn: (text) => process.stderr.write(`${text}\n`),
});
const chat = new ChatClient();
const running = new Map<string, AbortController>();

const tell = (message: WorkerMessage) => process.send?.(message);

async function runAgent(job: AgentJob): Promise<AgentReport> {
  const controller = new AbortController();
  running.set(job.sessionId, controller);
  const progress: AgentEnding = { termination: "timeout", turns: 0, toolS: 0 };
  let failure: AgentReport["failure"] = null;
  try {
    const task = parseRepairRef(job.taskRef);
    if (!task) throw new TrialError("AgentSetupError", `No such task: ${job.taskRef}`);
    const sandbox = await openProcessSandbox(job.sandbox);
    await runRepairAgent(
      { task, sandbox, visible, chat, signal: controller.signal },
      job,
      progress,
    );
  } catch (error) {
    // Aborted by the runner: the deadline is over, which is no failure, unless the model was gone by then.
    if (!controller.signal.aborted || error instanceof TrialError) failure = describeFailure(error);
  } finally {
    running.delete(job.sessionId);
  }
  return { sessionId: job.sessionId, ...progress, failure };
}

function describeFailure(error: unknown): NonNullable<AgentReport["failure"]> {
  if (error instanceof TrialError)
    return { exceptionType: error.exceptionType, message: error.userMessage };
  return {
    exceptionType: "AgentWorkerError",
    message: error instanceof Error ? error.message : String(error),
  };
}

process.on("message", (raw) => {
  const command = AgentCommand.parse(raw);
  if (command.kind === "abort") return running.get(command.sessionId)?.abort();
  void runAgent(command).then((report) => tell({ kind: "report", report }));
});
// The children that run candidates end with their pipes.
process.on("disconnect", () => process.exit(0));
visible.warm();
tell({ kind: "ready" });
