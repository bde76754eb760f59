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
  mini: { name: "bash", arguments: { command: COMMAND } },
};
const toolCall = (call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
const typed = (commands, isDone) =>
  JSON.stringify({
    analysis: "It is broken.",
    plan: "Repair it.",
    commands,
    task_complete: isDone,
  });
/** What the model says, of agents that a tool call and a plain answer do not do for. */
const TURNS = {
  "mini-swe-agent": [
    toolCall({ name: "bash", arguments: { command: COMMAND } }),
    toolCall({
      name: "bash",
      arguments: { command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" },
    }),
  ],
  "openhands-sdk": [
    toolCall({ name: "terminal", arguments: { command: COMMAND, summary: "repairs it" } }),
    "The answer is repaired.",
  ],
  // It has to say twice that it is done.
  "terminus-2": [
    typed([{ keystrokes: `${COMMAND}\n`, duration: 8 }], false),
    typed([], true),
    typed([], true),
  ],
  "own_agents:AskOnce": [COMMAND],
};
const turnsOf = (agent) => TURNS[agent] ?? [toolCall(CALLS[agent]), "The answer is repaired."];
/** These work from outside: they need no way out of their sandbox. */
const PORTS = { mini: 0, "terminus-2": 0, "own_agents:AskOnce": 0 };

/**
 * The agent solves a task, its tokens are those that were sampled, and its sandbox leads to its session alone.
 * `isCutOff`: nothing else can be reached; a cluster whose network plugin enforces no policy can not show that.
 */
export const agentSolves = (agent) => async (world) => {
  const { directory, isCutOff, registerRun, runner } = world;
  const spell = speller(benchModel());
  const label = agent.replace(/\W/g, "-");
  const turnsPath = join(directory, `turns-${label}.json`);
  writeFileSync(turnsPath, JSON.stringify(turnsOf(agent).map(spell)));
  const engine = await startEngine(directory, "--turns", turnsPath, "--in-order", "--log");
  try {
    const folder = makeTask(join(directory, "tasks"), `works-${label}`, {
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

/** An import path that names no agent is refused before a rollout is taken, and says what to do. */
export async function refusesBadImportPaths({ runner, runOf }) {
  const wrong = {
    "no_such_module:Agent": /no module no_such_module: put its folder on PYTHONPATH/,
    "own_agents:Nobody": /own_agents has no Nobody/,
    "own_agents:NoAgent": /is no agent of Harbor: an import path is module\.path:ClassName/,
    "own_agents.AskOnce": /module\.path:ClassName/,
  };
  for (const [agent, words] of Object.entries(wrong)) {
    const { status, content } = await whileInstalling(() =>
      runner.register("refused", runOf(agent)),
    );
    demand(status === 400, `${agent}: ${status} ${JSON.stringify(content)}`);
    demand(words.test(JSON.stringify(content)), `${agent}: ${JSON.stringify(content)}`);
  }
  return { refused: Object.keys(wrong).length };
}

/** Harbor is installed at the first ask. */
export async function whileInstalling(register) {
  for (;;) {
    const answer = await register();
    if (answer.status !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** An agent's program that fails is verified all the same; a class that breaks is no reward, as under Harbor. */
export async function hostAgentsFail(world) {
  const { directory, registerRun, runner } = world;
  const spell = speller(benchModel());
  const turnsPath = join(directory, "turns-failing.json");
  writeFileSync(turnsPath, JSON.stringify([spell("echo repaired > /app/answer")]));
  const engine = await startEngine(directory, "--turns", turnsPath, "--in-order");
  try {
    const folder = makeTask(join(directory, "tasks"), "fails", {
      test: 'if [ "$(cat /app/answer)" = repaired ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt',
    });
    const play = async (agent) =>
      runner.rollout(rolloutOf(await registerRun(agent, { engineUrl: engine.url }), folder, 0));
    const gaveUp = await play("own_agents:GivesUp");
    demand(
      gaveUp.reward === 1 && gaveUp.termination === "agent-error",
      `it gave up: ${tell(gaveUp)} ${gaveUp.termination}`,
    );
    const broke = await play("own_agents:Breaks");
    demand(
      broke.status === "failed" && (broke.reward ?? null) === null,
      `it broke: ${tell(broke)}`,
    );
    demand(broke.error?.exception_type === "LookupError", `it broke: ${tell(broke)}`);
    await world.noneLeft();
    return { gaveUp: gaveUp.termination, broke: broke.error.exception_message };
  } finally {
    engine.stop();
  }
}
