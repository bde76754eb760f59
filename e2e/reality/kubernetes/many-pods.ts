/**
 * As many pods at once as `--pods` says, by the runner's own code: made, seen running, held until a line comes on stdin, and
 * removed. Nothing is run in them, so a fake kubelet will do. Each step is a line of JSON on stdout.
 */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { env } from "@liverl/runner/env";
import { kubeSettings } from "@liverl/runner/sandboxes/kubernetes/kube-settings";
import { Pods } from "@liverl/runner/sandboxes/kubernetes/pods";
import type { SandboxSpec } from "@liverl/runner/sandboxes/sandbox";
import { TrialError } from "@liverl/runner/trials/trial-error";

const { values } = parseArgs({
  options: { pods: { type: "string" }, instance: { type: "string" } },
});
const count = Number(values.pods);
if (!Number.isInteger(count) || count < 1 || !values.instance)
  throw new Error("Say --pods=N and --instance=NAME.");

const MB = 1024 * 1024;
const log = { info: () => undefined, debug: () => undefined };
const pods = new Pods(kubeSettings(env), values.instance, log);

/** What a trial of a task with Harbor's usual limits asks for. */
const specOf = (trial: number): SandboxSpec => ({
  runId: "many",
  trialId: `many-${trial}`,
  attempt: 1,
  image: { kind: "pull", name: "here/agent:1" },
  buildTimeoutS: null,
  env: { TEST_DIR: "/tests" },
  workdir: "/app",
  cpus: 1,
  memoryMb: 1_024,
  network: "no-network",
  allowedHosts: null,
  programs: null,
  lifeS: 3_600,
});

async function start(trial: number): Promise<string> {
  const { signal } = new AbortController();
  const name = pods.own();
  await pods.create(specOf(trial), { name, image: "here/agent:1" }, signal);
  await pods.untilRunning(name, { pullTimeoutS: null, signal });
  return name;
}

/** How many came to what they should, how many to which error, and what the first of them says. */
function tally(settled: readonly PromiseSettledResult<unknown>[]) {
  const errors: Record<string, number> = {};
  let says: string | null = null;
  for (const each of settled)
    if (each.status === "rejected") {
      const { reason } = each;
      const type = reason instanceof TrialError ? reason.exceptionType : String(reason);
      errors[type] = (errors[type] ?? 0) + 1;
      says ??= reason instanceof TrialError ? reason.userMessage : null;
    }
  return { done: settled.filter(({ status }) => status === "fulfilled").length, errors, says };
}

function say(step: string, began: number, settled: readonly PromiseSettledResult<unknown>[]) {
  const { user, system } = process.cpuUsage();
  const figures = {
    seconds: Math.round((performance.now() - began) / 100) / 10,
    heapMb: Math.round(process.memoryUsage().heapUsed / MB),
    rssMb: Math.round(process.memoryUsage.rss() / MB),
    maxRssMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    cpuS: Math.round((user + system) / 100_000) / 10,
  };
  process.stdout.write(`${JSON.stringify({ step, ...tally(settled), ...figures })}\n`);
}

const began = performance.now();
const started = await Promise.allSettled(Array.from({ length: count }, (_, trial) => start(trial)));
say("running", began, started);
await once(process.stdin, "data");
const names = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
const ending = performance.now();
say("removed", ending, await Promise.allSettled(names.map((name) => pods.remove(name))));
await pods.close();
process.exit(0);
