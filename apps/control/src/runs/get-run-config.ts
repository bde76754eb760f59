import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import type { ConfigValue, GetRunConfig, RunConfig } from "@liverl/contract/run-config";
import { flattenSpec } from "@liverl/contract/spec/flatten-spec";
import { readPath } from "@liverl/contract/spec/read-path";
import { sourceOfValue } from "@liverl/contract/spec/value-source";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { StoredBase } from "#runs/base-of-launch.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** A run's configuration, where each value comes from, and what another one has in its place. */
export async function getRunConfig(
  ctx: Pick<Context, "db">,
  { runId, vs }: GetRunConfig,
): Promise<RunConfig> {
  const run = await getRunRow(ctx, runId);
  const base = StoredBase.safeParse(run.base).data ?? null;
  const other = vs === undefined ? null : await findOther(ctx, { runId, base, vs });
  const kind = base?.kind === "run" ? "parent" : "preset";
  const defaults = VERL_DEFAULTS.find(({ driver }) => driver === run.driver);
  const now = flattenSpec(configOf(run));
  const then = other === null ? new Map() : flattenSpec(other.config);
  const values = [...new Set([...now.keys(), ...then.keys()])].map((path): ConfigValue => {
    const value = now.get(path);
    const before = base === null ? undefined : readPath(base.spec, path);
    const isKnown = run.spec !== null && now.has(path);
    const usual = readPath(defaults, path);
    return {
      path,
      ...(now.has(path) && { value }),
      source: isKnown ? sourceOfValue(value, { before, usual, kind }) : null,
      ...(before !== undefined && { was: before }),
      ...(then.has(path) && { other: then.get(path) }),
      differs: other !== null && JSON.stringify(value) !== JSON.stringify(then.get(path)),
    };
  });
  return {
    values,
    base: base && { kind: base.kind, id: base.id, label: base.label },
    vs: other && { label: other.label, runId: other.runId },
  };
}

interface Other {
  label: string;
  runId: string | null;
  config: unknown;
}

async function findOther(
  ctx: Pick<Context, "db">,
  { runId, base, vs }: { runId: string; base: StoredBase | null; vs: string },
): Promise<Other> {
  if (vs !== "base") {
    const other = await getRunRow(ctx, vs);
    return { label: other.name, runId: other.id, config: configOf(other) };
  }
  if (base === null)
    throw new AppError("CONFLICT", {
      userMessage: `${runId} was launched without a preset or a parent: name another run.`,
    });
  return {
    ...{ label: base.label, config: base.spec },
    runId: base.kind === "run" ? base.id : null,
  };
}

/** A spec in its own order: PostgreSQL keeps another. */
const configOf = ({ spec, config }: Run): unknown =>
  LaunchSpec.safeParse(spec).data ?? spec ?? config;
