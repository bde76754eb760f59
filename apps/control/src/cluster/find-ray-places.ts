import { open } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { LaunchSpec } from "@liverl/contract/launch";
import { TERMINAL_RUN_STATUSES } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { verlFiles } from "#drivers/verl/verl-files.ts";
import { findPlaceFaults } from "#launch/check-places.ts";
import type { RayPlace } from "#ray/call-ray.ts";

export interface RayOfRuns {
  place: RayPlace;
  runs: { id: string; name: string; project: string }[];
}

/** ray._private.worker, "Started a local Ray instance. View the dashboard at …". */
const DASHBOARD = /View the dashboard at\s+(?:https?:\/\/)?([\w.:[\]-]+:\d+)/;
const HEAD_BYTES = 1024 * 1024;

/** Each local run has a Ray and a token of its own, one after the other on the same port. */
export const rayKey = ({ address, tokenPath }: RayPlace) => `${address} ${tokenPath}`;

/** The clusters of runs that go on: the address of the spec, or what a local verl's console says of its own Ray. */
export async function findRayPlaces(ctx: Pick<Context, "db" | "config">): Promise<RayOfRuns[]> {
  const runs = await ctx.db.run.findMany({
    where: { status: { notIn: ["draft", ...TERMINAL_RUN_STATUSES] } },
    select: { id: true, name: true, project: true, spec: true, attempt: true },
    orderBy: { createdAt: "asc" },
  });
  const byPlace = new Map<string, RayOfRuns>();
  for (const { spec, attempt, ...run } of runs) {
    const parsed = LaunchSpec.safeParse(spec);
    if (!parsed.success) continue;
    const place = await placeOf(ctx, run.id, attempt, parsed.data);
    if (!place) continue;
    const key = rayKey(place);
    const known = byPlace.get(key) ?? { place, runs: [] };
    known.runs.push(run);
    byPlace.set(key, known);
  }
  return [...byPlace.values()];
}

async function placeOf(
  { config }: Pick<Context, "config">,
  runId: string,
  attempt: number,
  spec: LaunchSpec,
): Promise<RayPlace | null> {
  if (findPlaceFaults(config.places, spec).length > 0) return null;
  if (spec.driver === "ray-job")
    return { address: spec.target.address, tokenPath: spec.target.token_path };
  if (spec.driver !== "local-verl") return null;
  const files = verlFiles(config.dataDir, runId);
  const address = DASHBOARD.exec(
    stripVTControlCharacters(await readHead(files.console(attempt))),
  )?.[1];
  return address === undefined || !isHere(address)
    ? null
    : { address: `http://${address}`, tokenPath: files.rayToken };
}

async function readHead(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (!file) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The run's own code prints to this log: its token goes to no other machine. */
function isHere(address: string): boolean {
  const host = address.slice(0, address.lastIndexOf(":"));
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return host === "localhost" || own.some((one) => one.address === host);
}
