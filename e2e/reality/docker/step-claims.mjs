// Tasks of several steps: one sandbox, a verdict at each step, and nothing of a verdict for the agent that goes on.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchModel, speller } from "../../../bench/bench-model.mjs";
import { until } from "../../../bench/liverl.mjs";
import { startEngine } from "../../../bench/proxy-process.mjs";
import { demand, readFile, readText, rolloutOf, tell, trialFolderOf } from "./rollouts.mjs";
import { makeStagedTask, STEPS } from "./staged-task.mjs";

const GATE = fileURLToPath(new URL("../../../scripts/gate.mjs", import.meta.url));

const near = (value, wanted) => typeof value === "number" && Math.abs(value - wanted) < 1e-9;
const stepsOf = (runner, runId, result) =>
  readFile(runner, runId, result, "result.json").step_results;

/** Oracle and nop, both strategies; Harbor's layout; what an agent finds of the step before. */
export async function playsSteps(world) {
  const { directory, registerRun, runner } = world;
  const tasks = join(directory, "tasks");
  const mean = makeStagedTask(tasks, "staged-mean");
  const final = makeStagedTask(tasks, "staged-final", { strategy: "final", gate: null });
  const oracle = await registerRun("oracle");
  const nop = await registerRun("nop");
  const solved = await runner.rollout(rolloutOf(oracle, mean, 0));
  demand(near(solved.reward, 2.5 / 3), `oracle, mean: ${tell(solved)}`);
  checkLayout(runner, oracle, solved);
  const apart = makeStagedTask(tasks, "staged-apart", { apart: true });
  const alone = await runner.rollout(rolloutOf(oracle, apart, 2));
  demand(near(alone.reward, 2.5 / 3), `a step whose tests are apart: ${tell(alone)}`);
  const sandboxes = readText(runner, oracle, alone, "trial.log").match(/The sandbox \S+ is gone/g);
  demand(new Set(sandboxes).size === 2, `sandboxes: ${sandboxes}`);
  const last = await runner.rollout(rolloutOf(oracle, final, 1));
  demand(near(last.reward, 0.5), `oracle, final: ${tell(last)}`);
  const gated = await runner.rollout(rolloutOf(nop, mean, 0));
  const ended = stepsOf(runner, nop, gated);
  demand(gated.reward === 0 && ended.length === 1, `nop behind a gate: ${tell(gated)}`);
  demand(
    readText(runner, nop, gated, "trial.log").includes("reward is 0, at least 0.5"),
    "the gate is not told",
  );
  const idle = await runner.rollout(rolloutOf(nop, final, 1));
  demand(idle.reward === 0 && stepsOf(runner, nop, idle).length === 3, `nop: ${tell(idle)}`);
  await world.noneLeft();
  return { mean: solved.reward, final: last.reward, nop: gated.reward, stepsOfNop: ended.length };
}

function checkLayout(runner, runId, result) {
  const root = trialFolderOf(runner, runId, result);
  const text = (name) => readText(runner, runId, result, name);
  const rows = stepsOf(runner, runId, result);
  demand(
    JSON.stringify(rows.map((row) => [row.step_name, row.verifier_result.rewards.reward])) ===
      JSON.stringify([
        [STEPS[0], 1],
        [STEPS[1], 1],
        [STEPS[2], 0.5],
      ]),
    JSON.stringify(rows),
  );
  for (const name of ["agent", "verifier", "artifacts"])
    demand(!existsSync(join(root, name)), `${name}/ is at the trial's root`);
  for (const [at, step] of STEPS.entries()) {
    const word = ["one", "two", "three"][at];
    const home = join("steps", step);
    demand(
      text(join(home, "verifier/test-stdout.txt")) === `looked for ${word}\n`,
      `${step}: verifier`,
    );
    demand(text(join(home, "artifacts/app/answer")) === `${word}\n`, `${step}: artifacts`);
    demand(existsSync(join(root, home, "agent/oracle.txt")), `${step}: agent`);
    // Collected before the tests of the step ran, and gone before the next one.
    const kept = readdirSync(join(root, home, "artifacts/logs/artifacts"));
    demand(kept.length === 0, `${step} has artifacts of another: ${kept}`);
  }
  const phases = text("phases.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  demand(
    JSON.stringify(phases[0].steps) === JSON.stringify(STEPS) &&
      phases.map(({ phase, step }) => (step ? `${phase} ${step}` : phase)).join() ===
        [
          "environment",
          ...STEPS.flatMap((step) => [`agent ${step}`, `verifier ${step}`]),
          "end",
        ].join(),
    JSON.stringify(phases),
  );
  const { metadata } = rows[0].agent_result;
  demand(
    metadata.integrity.length === 0,
    `honest work is flagged: ${JSON.stringify(metadata.integrity)}`,
  );
}

/** The tests of a step are hidden from the agent of the next one, and nothing of them runs on. */
export async function hidesEarlierTests({ directory, registerRun, runner }) {
  const folder = makeStagedTask(join(directory, "tasks"), "staged-hidden", {
    gate: null,
    test: {
      report: `cp /app/seen /logs/verifier/seen; cp /app/running /logs/verifier/running; echo 1 > /logs/verifier/reward.txt`,
    },
  });
  const runId = await registerRun("oracle");
  const result = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(near(result.reward, 1), tell(result));
  const home = "steps/report/verifier";
  const seen = readText(runner, runId, result, `${home}/seen`).split("\n").slice(0, 3);
  demand(
    seen.every((line) => line.trim() === ""),
    `an agent saw ${JSON.stringify(seen)}`,
  );
  const running = readText(runner, runId, result, `${home}/running`).trim().split("\n");
  // The container's own.
  demand(
    running.every((count) => Number(count) <= 1),
    `what tests left runs on: ${running}`,
  );
  const stubborn = makeStagedTask(join(directory, "tasks"), "staged-stubborn", {
    gate: null,
    solve: { plan: "echo one > /app/answer; printf '#!/bin/sh\\nexit 0\\n' > /bin/rm" },
  });
  const kept = await runner.rollout(rolloutOf(runId, stubborn, 1));
  demand(
    kept.reward === null && kept.error?.exception_type === "VerifierTamperedError",
    `a replaced rm went unseen: ${tell(kept)}`,
  );
  return { seen: 0, replacedRm: kept.error.exception_type };
}

/** How each agent calls a shell. */
const TOOL = {
  mini: (command) => ({ name: "bash", arguments: { command } }),
  "claude-code": (command) => ({ name: "Bash", arguments: { command, description: "Answers" } }),
};

/** Each step is a conversation of its own in one session; all of them train with the trial's reward. */
export const trainsSteps = (agent) => async (world) => {
  const { directory, registerRun, runner, runOf } = world;
  const spell = speller(benchModel());
  const commands = ["one", "two", "three"].map((word) => `echo ${word} > /app/answer`);
  const turns = commands.flatMap((command) => [
    spell(`<tool_call>\n${JSON.stringify(TOOL[agent](command))}\n</tool_call>`),
    spell(`It is written by ${command}.`),
  ]);
  const turnsPath = join(directory, `turns-steps-${agent}.json`);
  writeFileSync(turnsPath, JSON.stringify(turns));
  const engine = await startEngine(directory, "--turns", turnsPath, "--in-order");
  try {
    const folder = makeStagedTask(join(directory, "tasks"), `staged-${agent}`);
    const { pool } = runOf(agent, engine.url);
    const runId = await registerRun(agent, {
      maxTurns: 8,
      pool: { ...pool, maxModelLen: 65_536 },
    });
    const result = await runner.rollout(rolloutOf(runId, folder, 0));
    demand(near(result.reward, 2.5 / 3) && result.turns === 6, `${agent}: ${tell(result)}`);
    return checkTokens(runner, runId, result, commands);
  } finally {
    engine.stop();
  }
};

function checkTokens(runner, runId, result, commands) {
  const { calls, segments, nodes } = readFile(runner, runId, result, "proxy_trajectory.json");
  const main = calls.filter(({ kind }) => kind === "main");
  demand(
    main.map(({ taskStep }) => taskStep).join() === STEPS.flatMap((step) => [step, step]).join(),
    JSON.stringify(calls.map(({ kind, taskStep }) => [kind, taskStep])),
  );
  const forks = main.flatMap(({ fork }) => fork?.reason ?? []);
  demand(forks.join() === "next-step,next-step", `forks: ${forks}`);
  const trained = segments.filter(({ trainable }) => trainable);
  demand(trained.length === 3, JSON.stringify(segments));
  const sampled = nodes.filter(({ kind }) => kind === "sampled").length;
  demand(
    trained.flatMap(({ trainedNodes }) => trainedNodes).length === sampled,
    "a turn does not train",
  );
  demand(
    result.segments.filter(({ mask }) => mask.includes(1)).length === 3,
    "the trainer does not get each step's tokens",
  );
  const rows = stepsOf(runner, runId, result);
  for (const [at, step] of STEPS.entries()) {
    const { steps } = readFile(runner, runId, result, join("steps", step, "agent/trajectory.json"));
    const told = steps.flatMap(({ tool_calls: calls = [] }) =>
      calls.map((call) => call.arguments.command),
    );
    demand(told.join() === commands[at], `the trajectory of ${step} tells ${told}`);
    demand(
      rows[at].agent_result.n_output_tokens > 0,
      `${step} has no tokens: ${JSON.stringify(rows[at])}`,
    );
  }
  const { agent_result: whole } = readFile(runner, runId, result, "result.json");
  demand(whole === null, "tokens would be counted twice");
  return { segments: trained.length, sampledTurns: sampled, reward: result.reward };
}

/** What infrastructure or a verifier fails at one step is no reward of the others. */
export async function stepFails({ directory, registerRun, runner }) {
  const tasks = join(directory, "tasks");
  const runId = await registerRun("oracle");
  const silent = makeStagedTask(tasks, "staged-silent", { test: { report: "true" } });
  const none = await runner.rollout(rolloutOf(runId, silent, 0));
  demand(
    none.reward === null && none.error?.exception_type === "RewardFileNotFoundError",
    `a step without a reward: ${tell(none)}`,
  );
  const rows = stepsOf(runner, runId, none);
  demand(
    rows.length === 3 && rows[2].exception_info?.exception_type === "RewardFileNotFoundError",
    JSON.stringify(rows),
  );
  const unready = makeStagedTask(tasks, "staged-unready", {
    solve: { plan: "echo one > /app/answer; touch /app/refused" },
  });
  const ill = await runner.rollout(rolloutOf(runId, unready, 1));
  demand(
    ill.reward === null && ill.error?.exception_type === "StepSetupError",
    `a set-up that fails: ${tell(ill)}`,
  );
  const late = makeStagedTask(tasks, "staged-late", {
    gate: null,
    solve: { "zweiter Schritt": "echo two > /app/answer; sleep 300" },
  });
  const short = await registerRun("oracle", { rolloutTimeoutS: 6 });
  const cut = await runner.rollout(rolloutOf(short, late, 2));
  const [, second, third] = stepsOf(runner, short, cut);
  demand(cut.termination === "timeout", `late: ${tell(cut)} ${cut.termination}`);
  demand(second.verifier_result.rewards.reward === 1, "what was done in time counts");
  demand(
    third.verifier_result.rewards.reward === 0 &&
      third.exception_info?.exception_type === "AgentTimeoutError",
    `a step without time left is not verified: ${JSON.stringify(third)}`,
  );
  return { noReward: none.error.exception_type, setUp: ill.error.exception_type, late: cut.reward };
}

/** kill -9 while the second step's agent works: the trial starts over, and is counted once. */
export async function stepSurvivesKill(world) {
  const { directory, registerRun, runner } = world;
  const folder = makeStagedTask(join(directory, "tasks"), "staged-killed", {
    solve: { "zweiter Schritt": "sleep 8; echo two > /app/answer" },
  });
  const runId = await registerRun("oracle");
  const asked = runner.rollout(rolloutOf(runId, folder, 0));
  const step = join(runner.dataDir, "harbor_trials/docker", runId, "step_1");
  const phasesOf = () => {
    const [trial] = existsSync(step) ? readdirSync(step) : [];
    const path = trial && join(step, trial, "phases.jsonl");
    return path && existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  await until(
    () => phasesOf().includes('"agent","at"') && phasesOf().includes(`"step":"${STEPS[1]}"`),
    {
      what: "the second step",
      everyMs: 50,
    },
  );
  await runner.kill();
  await runner.start();
  const result = await asked;
  demand(near(result.reward, 2.5 / 3) && result.attempt === 2, `after the kill: ${tell(result)}`);
  await world.noneLeft();
  return { attempt: result.attempt, reward: result.reward };
}

/** `npm run gate` plays tasks of steps, which have no instruction.md of their own. */
export async function gatePlaysSteps({ directory, runner }) {
  const folder = join(directory, "gate-steps");
  makeStagedTask(folder, "sound", { lastShare: 1 });
  makeStagedTask(folder, "unsolved", { solve: { report: "true" } });
  const argv = ["--data-dir", runner.dataDir, "--model", benchModel(), folder];
  const { status, stdout, stderr } = await new Promise((resolve) => {
    execFile(process.execPath, [GATE, ...argv], (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
  demand(status === 1, `exit code ${status}: ${stderr}`);
  const { played, unsolved, rewarded } = JSON.parse(stdout);
  demand(played === 2 && `${unsolved} ${rewarded}` === "unsolved ", stdout);
  return { played, unsolved };
}
