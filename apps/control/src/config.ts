import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Env } from "#env.ts";
import { type NamedPlaces, namePlaces } from "#named-places.ts";

/** The command line. */
export interface Arguments {
  port: number;
  host: string;
  dataDir: string;
  seed: number;
  /** False with `--no-run`: no quickstart run is launched by itself. */
  run: boolean;
  exitAfterRun: boolean;
}

export interface Config extends Arguments {
  /** The checkout. */
  root: string;
  /** Bundled programs of the data plane. */
  dist: string;
  migrations: string;
  web: string;
  version: string;
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null;
  logLevel: Env["LIVERL_LOG_LEVEL"];
  /** Of dcgm-exporters; none: nvidia-smi of this machine. */
  dcgmUrls: string[];
  /** Hosts, addresses and ranges of this site that alerts may be sent to. */
  webhookAllow: string[];
  /** Where launches may take tokens, kubeconfigs and Pythons from. */
  places: NamedPlaces;
  /** Records of every process that was started. */
  processes: string;
}

export function buildConfig(args: Arguments, env: Env): Config {
  const root = findRoot();
  const dataDir = resolve(args.dataDir);
  return {
    ...args,
    dataDir,
    root,
    dist: join(root, "dist"),
    migrations: join(root, "prisma/migrations"),
    web: join(root, "apps/web"),
    version: z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).version,
    databaseUrl: env.DATABASE_URL ?? null,
    logLevel: env.LIVERL_LOG_LEVEL,
    dcgmUrls: env.LIVERL_DCGM_URLS,
    webhookAllow: env.LIVERL_WEBHOOK_ALLOW,
    places: namePlaces(dataDir, env),
    processes: join(dataDir, "processes"),
  };
}

/** The bundle lies in `dist`, the sources in `apps/control/src`: both are below the folder that has `prisma/migrations`. */
export function findRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "prisma/migrations"))) {
    const parent = dirname(directory);
    if (parent === directory)
      throw new Error("the checkout is incomplete: prisma/migrations is missing");
    directory = parent;
  }
  return directory;
}
