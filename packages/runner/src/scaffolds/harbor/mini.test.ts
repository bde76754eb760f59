import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openProxyLink } from "#proxy-process/proxy-link.ts";
import type { ExecCommand, Sandbox } from "#sandboxes/sandbox.ts";
import { ChatClient } from "#scaffolds/chat-client.ts";
import { mini } from "#scaffolds/harbor/mini.ts";
import { loadTask } from "#tasks/load-task.ts";
import { type PlannedStep, planTask } from "#tasks/plan-task.ts";
import { TASKS } from "#testing/make-task.ts";
import { type ChatReply, type ProxyStandIn, startProxyStandIn } from "#testing/proxy-stand-in.ts";

let dataDir: string;
let proxy: ProxyStandIn;
let step: PlannedStep;
const chat = new ChatClient();
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-mini-"));
  proxy = await startProxyStandIn(dataDir);
  const [first] = planTask(await loadTask(join(TASKS, "hello"))).steps;
  if (!first) throw new Error("the task has a step");
  step = first;
});
afterAll(async () => {
  await Promise.all([proxy.close(), chat.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

/** Stands in for a sandbox: answers every command with what it was. `docker-sandbox.test.ts` has the real one. */
class SandboxStandIn implements Partial<Sandbox> {
  readonly commands: ExecCommand[] = [];

  async exec(command: ExecCommand) {
    this.commands.push(command);
    return { exitCode: 0, output: `ran ${command.argv.at(-1)}\n`, durationMs: 1 };
  }
}

let sessions = 0;
async function play(replies: ChatReply[], maxTurns = 10) {
  const sandbox = new SandboxStandIn();
  const seen: unknown[] = [];
  proxy.reply = ({ turn, messages }) => {
    seen.push(messages.at(-1));
    return replies[turn] ?? "hang";
  };
  const progress = { turns: 0, toolS: 0 };
  const ending = await mini.run({
    // Only exec is called.
    sandbox: sandbox as unknown as Sandbox,
    root: dataDir,
    task: { name: "hello", environmentFolder: "" },
    harbor: null,
    step,
    solutionEnv: () => ({}),
    chat,
    session: {
      baseUrl: `${await openProxyLink({ dataDir }).agentUrl()}/sess/s${++sessions}/v1`,
      apiKey: "key",
      taskStep: null,
    },
    model: "m",
    window: 32_768,
    maxTurns,
    signal: new AbortController().signal,
    progress,
  });
  return { ending, seen, progress, commands: sandbox.commands.map(({ argv }) => argv) };
}
const bash = (command: string): ChatReply => ({ tool: { name: "bash", arguments: { command } } });

it("runs what the model asks for and shows what it wrote, until it answers without a call", async () => {
  const { ending, seen, progress, commands } = await play([bash("ls"), { content: "Done." }]);
  expect(ending).toEqual({ termination: "agent-finished", exception: null });
  expect(commands).toEqual([["bash", "-c", "ls"]]);
  expect(seen).toMatchObject([
    { role: "user", content: step.instruction },
    { role: "tool", tool_call_id: "call-0", content: "ran ls\n[exit code 0]" },
  ]);
  expect(progress.turns).toBe(2);
});

it("answers calls that make no sense, and gives up after three in a row", async () => {
  const bad: ChatReply = { tool: { name: "python", arguments: "{" } };
  const once = await play([bad, bash("ls"), bad, bad, { content: "Done." }]);
  expect(once.ending.termination).toBe("agent-finished");
  expect(once.commands).toHaveLength(1);
  const thrice = await play([bad, bad, bad]);
  expect(thrice.ending).toMatchObject({
    termination: "agent-error",
    exception: { exception_type: "NonZeroAgentExitCodeError" },
  });
});

it("ends where turns or context end", async () => {
  expect((await play([bash("a"), bash("b")], 2)).ending.termination).toBe("max-turns");
  const full = { status: 400, body: { error: { code: "context_length_exceeded" } } };
  expect((await play([bash("a"), full])).ending.termination).toBe("context-overflow");
});
