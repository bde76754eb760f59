import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Cli } from "#cli.ts";
import { CliError, EXIT } from "#exit-code.ts";

/** Posts a file as it is read. */
export async function sendFile(
  { api, signal }: Pick<Cli, "api" | "signal">,
  path: string,
  file: string,
): Promise<Response> {
  await access(file).catch((cause: unknown) => {
    throw new CliError(EXIT.usage, `${file} can not be read: is it there, and yours to read?`, {
      cause,
    });
  });
  return api.send(path, Readable.toWeb(createReadStream(file)), signal);
}
