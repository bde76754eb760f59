// Real coding agents that work inside of a sandbox, on an engine that says given turns.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchModel, speller } from "../../../bench/bench-model.mjs";
import { startEngine } from "../../../bench/proxy-process.mjs";
import { makeTask } from "./make-tasks.mjs";
import { demand, flagsOf, readText, rolloutOf, tell } from "./rollouts.mjs";

/** Tries every listening port of the loopback, which is the tunnel's, for what is not its session's; and the network. */
const REACH = `import socket, urllib.request, urllib.error
ports = [int(line.split()[1].split(":")[1], 16) for line in open("/proc/net/tcp").readlines()[1:] if line.split()[3] == "0A"]
print("ports", len(ports))
def ask(path, port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
for port in ports:
    for path in ["/", "/healthz", "/sess/other/v1/models", "/v1/../../sess/other/v1/models", "/v1/%2e%2e/x", "/api/v1/runs", "//example.com/"]:
        print("path", path, ask(path, port))
for host in ["1.1.1.1", "172.17.0.1", "127.0.0.1"]:
    try:
        socket.create_connection((host, 80), 3)
        print("REACHED", host)
    except OSError as error:
        print("host", host, "no way")
`;

/** What the agent does in the sandbox: the task, and tries to get out of it. */
const COMMAND = `echo repaired > /app/answer; echo ${Buffer.from(REACH).toString("base64")} | base64 -d | python3 - > /app/reached 2>&1`;
/** Each agent's tool for commands. */
const CALLS = {
  "claude-code": { name: "Bash", arguments: { command: COMMAND, description: "Repairs it" } },
  codex: { name: "exec_command", arguments: { cmd: COMMAND } },
  opencode: { name: "bash", arguments: { command: COMMAND, description: "Repairs it" } },
  "mini-swe-agent": { name: "bash", arguments: { command: COMMAND } },
  mini: { name: "bash", arguments: { command: COMMAND } },
};
const toolCall = (call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
/** What an agent's model says last, where a plain answer does not end it. */
const ENDINGS = {
  "mini-swe-agent": toolCall({
    name: "bash",
    arguments: { command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" },
  }),
};
/** Mini works from outside: it needs no way out of its sandbox. */
const PORTS = { mini: 0 };

/**
 * The agent solves a task, its tokens are those that were sampled, and its sandbox leads to its session alone.
 * `isCutOff`: nothing else can be reached; a cluster whose network plugin enforces no policy can not show that.
 */
export const agentSolves = (agent) => async (world) => {
  const { directory, isCutOff, registerRun, runner } = world;
  const spell = speller(benchModel());
  const turns = [spell(toolCall(CALLS[agent])), spell(ENDINGS[agent] ?? "The answer is repaired.")];
  const turnsPath = join(directory, `turns-${agent}.json`);
  writeFileSync(turnsPath, JSON.stringify(turns));
  const engine = await startEngine(directory, "--turns", turnsPath, "--in-order", "--log");
  try {
    const folder = makeTask(join(directory, "tasks"), `works-${agent}`, {
      test: `tail -c 2000 /logs/agent/*.txt; echo; cat /app/reached
if [ "$(cat /app/answer)" = repaired ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`,
    });
    const runId = await registerRun(agent, {
      maxTurns: 8,
      rolloutTimeoutS: 120,
      pool: {
        engines: [{ url: engine.url }],
        engineKeyPath: null,
        modelDir: benchModel(),
        modelName: "bench",
        maxModelLen: 65_536,
      },
    });
    const result = await runner.rollout(rolloutOf(runId, folder, 0));
    demand(result.status === "succeeded", `${agent}: ${tell(result)}`);
    const said = readText(runner, runId, result, "verifier/test-stdout.txt");
    demand(
      result.reward === 1 && result.termination === "agent-finished",
      `${agent}: ${tell(result)} ${said}`,
    );
    const answered = Object.values(await (await fetch(`${engine.url}/log`)).json());
    const trained = result.segments.map(({ tokenIds, mask }) => tokenIds.filter((_, i) => mask[i]));
    demand(
      JSON.stringify(trained.flat()) === JSON.stringify(answered.flat()),
      `${agent}: the trained tokens are not those that the engine sampled`,
    );
    const ports = PORTS[agent] ?? 1;
    demand(said.includes(`\nports ${ports}\n`), `${agent}: not ${ports} ports listen: ${said}`);
    const passed = said.split("\n").filter((line) => /^path .* (?!403$)\d+$/.test(line));
    demand(passed.length === 0, `${agent} got out by its tunnel: ${said}`);
    if (isCutOff) {
      demand(!said.includes("REACHED"), `${agent} got out: ${said}`);
      demand(/^host 1\.1\.1\.1 no way$/m.test(said), `${agent}: nothing was tried: ${said}`);
    }
    const flags = flagsOf(world, result);
    demand(flags.length === 0, `${agent} is flagged: ${JSON.stringify(flags)}`);
    await world.noneLeft();
    return {
      reward: result.reward,
      turns: result.turns,
      trainedTokens: trained.flat().length,
      setupS: result.timings.setupS,
      agentS: result.timings.agentS,
    };
  } finally {
    engine.stop();
  }
};
