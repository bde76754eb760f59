import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { Context } from "#context.ts";

/**
 * Secrets of a spec never stand in the database: each is replaced by `hidden:<run>`, and the value is kept in a file of that run
 * that only LiveRL's user can read. So whatever shows, exports or archives a spec shows no secret. A spec that comes back with
 * `hidden:<run>`, from a clone, a fork or an edited form, gets the value from that run's file.
 */
const HIDDEN = /^hidden:([A-Za-z0-9][A-Za-z0-9._-]{0,80})$/;
const hiddenIn = (runId: string) => `hidden:${runId}`;

const Values = z.record(z.string(), z.string());
type Values = z.infer<typeof Values>;

const fileOf = (dataDir: string, runId: string) => join(dataDir, "secrets", `${runId}.json`);

/** Words of a name, parted by `_`, `-` or `.`, that say a secret. */
const SECRET_WORD =
  /(^|[_.-])(TOKEN|KEY|APIKEY|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|DSN)([_.-]|$)/i;
/** Amazon's variables, but for those that only name a place. */
const SECRET_AWS = /^AWS_(?!REGION$|DEFAULT_REGION$|DEFAULT_OUTPUT$)/i;
/** How the tokens of usual services begin, a JWT, a private key, and a password in an address. */
const SECRET_VALUE =
  /^(?:hf_|sk-|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|(?:AKIA|ASIA)[0-9A-Z]{12}|liverl_|eyJ[\w-]{8,}\.[\w-]+\.|Bearer |-----BEGIN )|^[a-z][a-z0-9+.-]{0,20}:\/\/[^/@\s]{0,200}:[^/@\s]{1,200}@/i;
/** Not worth hiding, whatever its name: switches, numbers and paths. */
const PLAIN_VALUE = /^(?:true|false|yes|no|on|off|none|null|\d{1,6}|[~/.][\w~/.-]*|)$/i;

export function isSecret(name: string, value: string): boolean {
  if (SECRET_VALUE.test(value)) return true;
  const isNamed = SECRET_WORD.test(name) || SECRET_AWS.test(name);
  return isNamed && !PLAIN_VALUE.test(value);
}

/** Places in a spec that may hold a secret, by their path. */
function textsOf(spec: LaunchSpec): [path: string, name: string, value: string][] {
  if (spec.driver === "embedded") return [];
  const of = (room: "env" | "overrides") =>
    Object.entries(spec[room]).flatMap(([key, value]): [string, string, string][] =>
      typeof value === "string" ? [[`${room}.${key}`, key, value]] : [],
    );
  return [...of("env"), ...of("overrides")];
}

function withValues(spec: LaunchSpec, values: Values): LaunchSpec {
  if (spec.driver === "embedded" || Object.keys(values).length === 0) return spec;
  const of = <Room extends Record<string, unknown>>(name: string, room: Room): Room =>
    Object.fromEntries(
      Object.entries(room).map(([key, value]) => [key, values[`${name}.${key}`] ?? value]),
    ) as Room;
  return { ...spec, env: of("env", spec.env), overrides: of("overrides", spec.overrides) };
}

/** The spec as it is kept and shown, and the values that are kept apart. Pure. */
export function hideValues(
  spec: LaunchSpec,
  runId: string,
): { shown: LaunchSpec; secrets: Values } {
  const found = textsOf(spec).filter(
    ([, name, value]) => !HIDDEN.test(value) && isSecret(name, value),
  );
  return {
    shown: withValues(spec, Object.fromEntries(found.map(([path]) => [path, hiddenIn(runId)]))),
    secrets: Object.fromEntries(found.map(([path, , value]) => [path, value])),
  };
}

/** The spec with its real values, for what starts it. Throws BAD_REQUEST where one is gone. */
export async function revealValues(dataDir: string, spec: LaunchSpec): Promise<LaunchSpec> {
  const files = new Map<string, Promise<Values | null>>();
  const values: Values = {};
  for (const [path, , value] of textsOf(spec)) {
    const [, runId] = HIDDEN.exec(value) ?? [];
    if (runId === undefined) continue;
    const file = files.get(runId) ?? readJson(fileOf(dataDir, runId), Values);
    files.set(runId, file);
    const secret = (await file)?.[path];
    if (secret === undefined)
      throw new AppError("BAD_REQUEST", {
        userMessage: `${path} is hidden in ${runId}, which does not keep it any more: give its value.`,
      });
    values[path] = secret;
  }
  return withValues(spec, values);
}

/** Durable before the run can be started. */
export async function keepSecrets(dataDir: string, runId: string, secrets: Values): Promise<void> {
  if (Object.keys(secrets).length === 0) return;
  const folder = join(dataDir, "secrets");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await writeFileAtomic(fileOf(dataDir, runId), JSON.stringify(secrets), { mode: 0o600 });
}

export const deleteSecrets = (dataDir: string, runId: string) =>
  rm(fileOf(dataDir, runId), { force: true });

/** Takes secrets out of the rows that earlier versions wrote, and out of what was imported from them. */
export async function hideStoredSecrets(
  ctx: Pick<Context, "db" | "config">,
  runId?: string,
): Promise<void> {
  const runs = await ctx.db.run.findMany({
    where: { driver: { not: "embedded" }, ...(runId !== undefined && { id: runId }) },
    select: { id: true, spec: true, base: true },
  });
  for (const { id, spec, base } of runs) {
    const parsed = LaunchSpec.safeParse(spec).data;
    const began = z.looseObject({ spec: LaunchSpec }).safeParse(base).data;
    const hidden = parsed && hideValues(parsed, id);
    const baseHidden = began && hideValues(began.spec, id);
    const change = {
      ...(hidden && Object.keys(hidden.secrets).length > 0 && { spec: hidden.shown }),
      ...(began &&
        baseHidden &&
        Object.keys(baseHidden.secrets).length > 0 && {
          base: { ...began, spec: baseHidden.shown },
        }),
    };
    if (Object.keys(change).length === 0) continue;
    if (hidden) await keepSecrets(ctx.config.dataDir, id, hidden.secrets);
    await ctx.db.run.update({ where: { id }, data: change as object });
  }
}
