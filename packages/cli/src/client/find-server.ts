import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { trimEnd } from "@liverl/contract/trim-end";
import { z } from "zod";
import type { Env } from "#env.ts";
import { CliError, EXIT } from "#exit-code.ts";

export interface Server {
  /** `http://127.0.0.1:4400`, without a slash at its end. */
  url: string;
  token: string;
}

export interface Asked {
  url?: string | undefined;
  token?: string | undefined;
  dataDir?: string | undefined;
}

const DEFAULT_DATA_DIR = ".liverl";
const AddressFile = z.object({ url: z.url() });

/**
 * Which LiveRL is meant: flags, else LIVERL_URL and LIVERL_TOKEN, else the data directory, whose files name the server that
 * runs on it and its operator's token. A named data directory wins over the environment.
 */
export async function findServer(asked: Asked, env: Env): Promise<Server> {
  const named = asked.dataDir !== undefined;
  const url = asked.url ?? (named ? undefined : env.url);
  const token = asked.token ?? (named ? undefined : env.token);
  const dataDir = resolve(asked.dataDir ?? DEFAULT_DATA_DIR);
  return {
    url: checkUrl(url ?? (await urlOf(dataDir))),
    token: token ?? (await tokenOf(dataDir)),
  };
}

function checkUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new CliError(EXIT.usage, `--url ${text}: give an address like http://127.0.0.1:4400.`);
  return trimEnd(text, "/");
}

async function urlOf(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, "liverl.json"), "utf8").catch(() => null);
  const found = text === null ? null : AddressFile.safeParse(parse(text));
  if (found?.success) return found.data.url;
  throw new CliError(
    EXIT.away,
    `No LiveRL runs on ${dataDir}: start it with \`npm start\`, or name another with --data-dir, --url or LIVERL_URL.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function tokenOf(dataDir: string): Promise<string> {
  const token = await readFile(join(dataDir, "operator.token"), "utf8").catch(() => "");
  if (token.trim() !== "") return token.trim();
  throw new CliError(
    EXIT.notAllowed,
    `There is no token in ${dataDir}: give one with --token or LIVERL_TOKEN, or name the data directory with --data-dir.`,
  );
}
