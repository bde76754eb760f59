import { access, statfs } from "node:fs/promises";
import { availableParallelism, freemem } from "node:os";
import { join } from "node:path";
import type { EmbeddedPlan, EmbeddedSpec, PreflightItem } from "@liverl/contract/launch";
import { probePort } from "@liverl/durable/port";
import type { Context } from "#context.ts";
import { judgeFork } from "#forks/judge-fork.ts";
import { checkDataPlane } from "#launch/check-data-plane.ts";
import { checkName } from "#launch/check-name.ts";
import { judgeAlgorithm } from "#launch/judge-algorithm.ts";
import type { Check } from "#launch/preflight-check.ts";

/** Log, trajectories and weight versions of a rollout, on disk; measured on the quickstart run. */
const MB_PER_ROLLOUT = 0.03;
const PROGRAMS = [
  "model.mjs",
  "engine.mjs",
  "trainer.mjs",
  "runner.mjs",
  "proxy.mjs",
  "agent-worker.mjs",
  "code-worker.mjs",
];

/** Looks at this machine and this spec: what would stop the run, and what would make it slow or useless. */
export async function preflightEmbedded(
  ctx: Context,
  spec: EmbeddedSpec,
  plan: EmbeddedPlan,
): Promise<PreflightItem[]> {
  const checks: [string, Check | Promise<Check>][] = [
    ["programs", checkPrograms(ctx)],
    ["data-plane", checkDataPlane(ctx)],
    ["disk", checkDisk(ctx, plan)],
    ["memory", checkMemory(plan, spec)],
    ["cpus", checkCpus(spec)],
    ["ports", checkPorts(spec)],
    ["name", checkName(ctx, spec)],
    ["queue", checkQueue(ctx)],
    ["batch", checkBatch(spec, plan)],
    ["evaluation", checkEvaluation(spec)],
    ["checkpoints", checkCheckpoints(spec)],
    ...judgeAlgorithm(spec),
  ];
  const fork = await judgeFork(ctx, spec);
  if (fork) checks.push(["fork", fork]);
  return Promise.all(
    checks.map(async ([id, check]) => ({ id, fix: null, field: null, ...(await check) })),
  );
}

async function checkPrograms({ config }: Context): Promise<Check> {
  const missing: string[] = [];
  for (const program of PROGRAMS)
    if (
      !(await access(join(config.dist, program)).then(
        () => true,
        () => false,
      ))
    )
      missing.push(program);
  return missing.length === 0
    ? {
        status: "pass",
        title: "Programs are built",
        why: `All ${PROGRAMS.length} programs are in ${config.dist}.`,
      }
    : {
        status: "fail",
        title: "Programs are missing",
        why: `${missing.join(", ")} not found in ${config.dist}: run npm run build.`,
      };
}

const formatMb = (mb: number) =>
  mb < 1_000 ? `${Math.ceil(mb)} MB` : `${(mb / 1_000).toFixed(1)} GB`;

async function checkDisk({ config }: Context, plan: EmbeddedPlan): Promise<Check> {
  const { bavail, bsize } = await statfs(config.dataDir);
  const freeMb = (bavail * bsize) / 1e6;
  const weightsMb = (plan.parameters * 4 * plan.steps) / 1e6;
  const needMb =
    plan.totalRollouts * MB_PER_ROLLOUT +
    plan.checkpoints.count * plan.checkpoints.sizeMb +
    weightsMb;
  const why = `About ${formatMb(needMb)} of the ${formatMb(freeMb)} that are free.`;
  if (needMb > freeMb)
    return {
      status: "fail",
      title: "The disk is too full",
      why,
      field: "trainer.total_training_steps",
    };
  return { status: needMb * 2 > freeMb ? "warn" : "pass", title: "Disk space", why };
}

function checkMemory(plan: EmbeddedPlan, spec: EmbeddedSpec): Check {
  const needMb = plan.memoryMb.engine * spec.rollout.engines + plan.memoryMb.trainer;
  const freeMb = freemem() / 1e6;
  const why = `Engines and trainer need about ${formatMb(needMb)}; ${formatMb(freeMb)} are free.`;
  if (needMb <= freeMb) return { status: "pass", title: "Memory", why };
  const fix =
    spec.rollout.engines > 1
      ? { label: "Use one engine", path: "rollout.engines", value: 1 }
      : null;
  return { status: "fail", title: "Not enough memory", why, field: "rollout.engines", fix };
}

function checkCpus(spec: EmbeddedSpec): Check {
  const cpus = availableParallelism();
  const { engines } = spec.rollout;
  if (engines < cpus || engines === 1)
    return {
      status: "pass",
      title: "Processors",
      why: `${engines} ${engines === 1 ? "engine" : "engines"} and a trainer on ${cpus} processors.`,
    };
  return {
    status: "warn",
    title: "More engines than processors",
    why: `${engines} engines share ${cpus} processors with the trainer: they only wait for each other.`,
    field: "rollout.engines",
    fix: { label: "Use one engine", path: "rollout.engines", value: 1 },
  };
}

async function checkPorts(spec: EmbeddedSpec): Promise<Check> {
  const probed = await Promise.all(
    Array.from({ length: spec.rollout.engines }, () => probePort(0).catch(() => null)),
  );
  return probed.every((port) => port !== null)
    ? { status: "pass", title: "Ports", why: `${spec.rollout.engines} free on 127.0.0.1.` }
    : { status: "fail", title: "No free port", why: "127.0.0.1 has no port left for the engines." };
}

async function checkQueue({ db }: Context): Promise<Check> {
  const current = await db.run.findFirst({
    where: { driver: "embedded", status: { in: ["queued", "booting", "running", "stopping"] } },
    orderBy: { createdAt: "desc" },
  });
  if (!current)
    return { status: "pass", title: "Nothing else trains", why: "The run starts at once." };
  return {
    status: "warn",
    title: "The run will wait",
    why: `${current.id} is ${current.status}; this machine trains one run at a time.`,
  };
}

function checkBatch(spec: EmbeddedSpec, plan: EmbeddedPlan): Check {
  const { concurrency } = spec.rollout;
  const why = `${plan.batchRollouts / spec.batch.n} tasks × ${spec.batch.n} rollouts = ${plan.batchRollouts} a step, ${concurrency} at once.`;
  if (concurrency * 4 >= plan.batchRollouts) return { status: "pass", title: "Batch", why };
  return {
    status: "warn",
    title: "Few rollouts at once",
    why: `${why} Each step goes through more than four waves.`,
    field: "rollout.concurrency",
    fix: {
      label: `Use ${Math.min(256, plan.batchRollouts)}`,
      path: "rollout.concurrency",
      value: Math.min(256, plan.batchRollouts),
    },
  };
}

function checkEvaluation(spec: EmbeddedSpec): Check {
  const { test_freq, total_training_steps, stop_at_val_reward } = spec.trainer;
  if (test_freq <= total_training_steps)
    return {
      status: "pass",
      title: "Evaluation",
      why: `Every ${test_freq} steps on ${spec.trainer.val_tasks} held-out tasks.`,
    };
  if (stop_at_val_reward === null)
    return {
      status: "warn",
      title: "No evaluation while training",
      why: `The first would be at step ${test_freq}, after the end.`,
      field: "trainer.test_freq",
    };
  return {
    status: "fail",
    title: "The run can never stop early",
    why: `It should stop at a reward of ${stop_at_val_reward}, but the first evaluation would be at step ${test_freq}, after the end.`,
    field: "trainer.test_freq",
    fix: {
      label: "Evaluate every 5 steps",
      path: "trainer.test_freq",
      value: Math.min(5, total_training_steps),
    },
  };
}

function checkCheckpoints(spec: EmbeddedSpec): Check {
  const { save_freq, total_training_steps } = spec.trainer;
  if (save_freq <= total_training_steps)
    return {
      status: "pass",
      title: "Checkpoints",
      why: `Every ${save_freq} steps, and one at the end.`,
    };
  return {
    status: "warn",
    title: "Only one checkpoint",
    why: "A crash before the end would begin again from the warm-up.",
    field: "trainer.save_freq",
    fix: {
      label: "Save every 10 steps",
      path: "trainer.save_freq",
      value: Math.min(10, total_training_steps),
    },
  };
}
