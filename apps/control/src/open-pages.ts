import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import type { Pages } from "#app.ts";

const ServerFiles = z.object({ config: z.record(z.string(), z.unknown()) });

/** The part of Next's custom-server API that is used. Its own types would change `process.env` for every room that is checked with this one. */
interface NextModule {
  default: (options: {
    dev: false;
    dir: string;
    hostname: string;
    port: number;
    conf: Record<string, unknown>;
  }) => {
    prepare(): Promise<void>;
    getRequestHandler(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  };
}
const NEXT: string = "next";

/** The built web app as a request handler, or null where it is not built. */
export async function openPages(
  directory: string,
  hostname: string,
  port: number,
): Promise<Pages | null> {
  const files = join(directory, ".next/required-server-files.json");
  if (!existsSync(join(directory, ".next/BUILD_ID")) || !existsSync(files)) return null;
  // The configuration as the build resolved it: reading next.config.ts again would load a compiler into this process.
  const conf = ServerFiles.parse(JSON.parse(readFileSync(files, "utf8"))).config;
  const { default: next }: NextModule = await import(NEXT);
  const app = next({ dev: false, dir: directory, hostname, port, conf });
  await app.prepare();
  return { handle: app.getRequestHandler() };
}
