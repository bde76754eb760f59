import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RunnerName } from "@liverl/contract/lease";
import { trimEnd } from "@liverl/contract/trim-end";
import { z } from "zod";

export const JOIN_USAGE = `usage: node dist/liverl-runner.mjs --join URL --token-path FILE [--slots 8] [--name NAME] [--data-dir DIRECTORY]
  --join        the trial runner's address, as this host reaches it: http://HOST:PORT, its port is in D/runner/port
  --token-path  a copy of D/runner/join.token
  --slots       trials that run here at once
  --name        of this runner, unlike any other's; this host's name
  --data-dir    for images' logs, agents and what trials leave until it is sent; .liverl-runner`;

const Options = z.object({
  join: z.url({ protocol: /^https?$/, error: "--join is an address, http://HOST:PORT" }),
  "token-path": z.string({ error: "--token-path is a file with the token" }),
  slots: z.coerce
    .number({ error: "--slots is a number from 1 on" })
    .int()
    .min(1, "--slots is a number from 1 on")
    .max(1_000, "--slots is 1000 at most"),
  name: RunnerName,
  "data-dir": z.string(),
});

export interface JoinConfig {
  home: string;
  tokenPath: string;
  slots: number;
  name: string;
  dataDir: string;
  sandboxTunnel: string;
  /** Folder of what runs on Python. */
  pythonFolder: string;
}

/** Throws what is wrong with it, for people. */
export function parseJoinConfig(argv: string[], selfUrl: string): JoinConfig {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: argv,
    options: { join: text, "token-path": text, slots: text, name: text, "data-dir": text },
  });
  const parsed = Options.safeParse({
    slots: "8",
    name: hostname().replace(/[^A-Za-z0-9._-]/g, "-"),
    "data-dir": ".liverl-runner",
    ...values,
  });
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ message }) => message).join("\n"));
  const { data } = parsed;
  const dist = dirname(fileURLToPath(selfUrl));
  return {
    home: trimEnd(data.join, "/"),
    tokenPath: resolve(data["token-path"]),
    slots: data.slots,
    name: data.name,
    dataDir: resolve(data["data-dir"]),
    sandboxTunnel: join(dist, "sandbox-tunnel.mjs"),
    pythonFolder: join(dist, "python"),
  };
}
