import { AppError } from "@liverl/contract/app-error";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { ArtifactConfig, MAIN_SERVICE, ServiceName } from "#tasks/artifact-config.ts";
import {
  AllowedHosts,
  EnvironmentConfig,
  Healthcheck,
  NetworkMode,
  noAllowlist,
} from "#tasks/environment-config.ts";
import { float, oneOf, text, textMap, texts, user } from "#tasks/lax-values.ts";
import { nameOfKey } from "#tasks/name-of-key.ts";
import { faultOfStepName, keyOfStepName } from "#tasks/step-name.ts";
import { findTaskWarnings } from "#tasks/task-warnings.ts";

const PackageName = text
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*\/[a-zA-Z0-9][a-zA-Z0-9._-]*$/, {
    error: 'must be "org/name" of letters, digits, hyphens, underscores and dots',
  })
  .refine((name) => !name.includes(".."), { error: 'must not contain ".."' });

/** `network_mode` of a phase; null where the environment's own stays. */
const phaseFields = {
  network_mode: NetworkMode.nullable().default(null),
  allowed_hosts: AllowedHosts,
};

function checkPhase(
  phase: { network_mode: NetworkMode | null; allowed_hosts: string[] | null },
  ctx: z.RefinementCtx,
): void {
  const { network_mode, allowed_hosts } = phase;
  const isWrong =
    network_mode === null
      ? allowed_hosts !== null
      : network_mode !== "allowlist" && allowed_hosts !== null && allowed_hosts.length > 0;
  if (isWrong) ctx.addIssue(noAllowlist());
}

const AgentConfig = z
  .object({
    ...phaseFields,
    /** Null: no limit of the task's own. */
    timeout_sec: float.nullable().default(null),
    /** Null: the image's user. */
    user: user.nullable().default(null),
  })
  .superRefine(checkPhase);

/** A command that runs in a service once the agent is done, before its artifacts are collected. */
export const CollectHook = z.object({
  command: text,
  service: ServiceName.default(MAIN_SERVICE),
  timeout_sec: float.default(60),
  user: user.nullable().default(null),
});
export type CollectHook = z.infer<typeof CollectHook>;

const VerifierConfig = z
  .object({
    ...phaseFields,
    timeout_sec: float.default(600),
    env: textMap.default({}),
    user: user.nullable().default(null),
    environment_mode: oneOf(["shared", "separate"]).nullable().default(null),
    environment: EnvironmentConfig.nullable().default(null),
    collect: z.array(CollectHook).default([]),
  })
  .superRefine(checkPhase)
  .superRefine(({ environment_mode, environment }, ctx) => {
    if (environment_mode !== "shared" || environment === null) return;
    ctx.addIssue({
      code: "custom",
      path: ["environment_mode"],
      message: '"shared" conflicts with [verifier.environment]: keep one of them',
    });
  });
export type VerifierConfig = z.infer<typeof VerifierConfig>;

const StepName = text.superRefine((name, ctx) => {
  const fault = faultOfStepName(name);
  if (fault) ctx.addIssue({ code: "custom", message: fault });
});

export const StepConfig = z.object({
  name: StepName,
  agent: AgentConfig.prefault({}),
  verifier: VerifierConfig.prefault({}),
  min_reward: z
    .union([float, z.record(text, float)], {
      error: "must be a number, or a table of numbers by reward",
    })
    .nullable()
    .default(null),
  healthcheck: Healthcheck.nullable().default(null),
  artifacts: z.array(ArtifactConfig).default([]),
});
export type StepConfig = z.infer<typeof StepConfig>;

const Steps = z.array(StepConfig).superRefine((steps, ctx) => {
  const seen = new Set<string>();
  for (const [i, { name }] of steps.entries()) {
    const key = keyOfStepName(name);
    if (seen.has(key))
      ctx.addIssue({
        code: "custom",
        path: [i, "name"],
        message: "is taken by an earlier step (case and Unicode form do not count)",
      });
    seen.add(key);
  }
});

const PackageInfo = z.object({
  name: PackageName,
  version: text.min(1, { error: "must not be empty" }).nullable().default(null),
  description: text.default(""),
  authors: z.array(z.object({ name: text, email: text.nullable().default(null) })).default([]),
  keywords: texts.default([]),
});

/** `task.toml` under Harbor's own names, schemas 1.0 to 1.4; keys that Harbor does not know are dropped. */
export const TaskConfig = z.preprocess(
  // `version` is the schema's name in tasks of schema 1.0.
  (value) =>
    typeof value === "object" && value !== null && "version" in value
      ? { schema_version: value.version, ...value }
      : value,
  z.object({
    schema_version: text.default("1.4"),
    task: PackageInfo.nullable().default(null),
    metadata: z.record(text, z.unknown()).default({}),
    verifier: VerifierConfig.prefault({}),
    agent: AgentConfig.prefault({}),
    environment: EnvironmentConfig.prefault({}),
    solution: z.object({ env: textMap.default({}) }).prefault({}),
    source: text.nullable().default(null),
    multi_step_reward_strategy: oneOf(["mean", "final"]).nullable().default(null),
    steps: Steps.nullable().default(null),
    artifacts: z.array(ArtifactConfig).default([]),
  }),
);
export type TaskConfig = z.infer<typeof TaskConfig>;

/** Throws BAD_REQUEST with `file`, the key and what it must be, one line a fault. */
export function parseTaskConfig(
  toml: string,
  file: string,
): { config: TaskConfig; warnings: string[] } {
  const table = readToml(toml, file);
  const dangers = findDangers(table, []);
  if (dangers.length > 0)
    throw new AppError("BAD_REQUEST", {
      userMessage: dangers.map((danger) => `${file}: ${danger}.`).join("\n"),
    });
  const parsed = TaskConfig.safeParse(table, { error: wordsOf });
  if (parsed.success)
    return { config: parsed.data, warnings: findTaskWarnings(table, parsed.data) };
  const lines = parsed.error.issues.map(
    ({ path, message }) => `${file}: ${nameOfKey(path)} ${message}.`,
  );
  throw new AppError("BAD_REQUEST", { userMessage: lines.join("\n"), cause: parsed.error });
}

/** What Harbor takes and no program should be given: a zero byte ends an argument, `__proto__` is no key of its own. */
function findDangers(value: unknown, path: readonly (string | number)[]): string[] {
  if (typeof value === "string")
    return value.includes("\0") ? [`${nameOfKey(path)} must not contain a zero byte`] : [];
  if (Array.isArray(value)) return value.flatMap((entry, i) => findDangers(entry, [...path, i]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    const here = [...path, key];
    if (key === "__proto__") return [`${nameOfKey(here)} is no name that can be used`];
    if (key.includes("\0")) return [`a key of ${nameOfKey(path)} must not contain a zero byte`];
    return findDangers(entry, here);
  });
}

/** Of the faults that no schema words itself. */
function wordsOf({ code, expected }: z.core.$ZodRawIssue): string | undefined {
  if (code !== "invalid_type") return undefined;
  return { object: "must be a table", record: "must be a table", array: "must be a list" }[
    String(expected)
  ];
}

/** Throws BAD_REQUEST with the place of the fault. */
export function readToml(toml: string, file: string): Record<string, unknown> {
  try {
    return parse(toml, { integersAsBigInt: "asNeeded" });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const why = cause.message.split("\n", 1)[0]?.replace(/^Invalid TOML document: /, "");
    throw new AppError("BAD_REQUEST", {
      userMessage: `${file}:${cause.line}:${cause.column}: this is not TOML: ${why}.`,
      cause,
    });
  }
}
