import type { Readable } from "node:stream";
import type { Container } from "dockerode";
import { z } from "zod";
import type { FileChange } from "#integrity/judge-changes.ts";
import type { Changes } from "#sandboxes/sandbox.ts";

/** Of the daemon's answer: long paths of an agent's must not fill the runner. A large installation has some MB. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_CHANGES = 200_000;
/** `GET /containers/{id}/changes`; null where nothing has changed. */
const Listed = z.array(z.object({ Path: z.string(), Kind: z.number() })).nullable();
const KINDS = ["modified", "added", "deleted"] as const;

/** What is not as the image has it. Throws what the daemon says, raw. */
export async function readChanges(container: Container, signal: AbortSignal): Promise<Changes> {
  const text = await readBounded(await askForChanges(container, signal));
  if (text === null) return "too-many";
  const listed = Listed.parse(JSON.parse(text)) ?? [];
  if (listed.length > MAX_CHANGES) return "too-many";
  return listed.flatMap(({ Path, Kind }): FileChange[] => {
    const change = KINDS[Kind];
    return change === undefined ? [] : [{ path: Path, change }];
  });
}

/** The client's own call would hold all of the answer as one string, whatever its length. */
function askForChanges({ id, modem }: Container, abortSignal: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    modem.dial(
      {
        path: `/containers/${id}/changes`,
        method: "GET",
        isStream: true,
        abortSignal,
        statusCodes: { 200: true, 404: "no such container", 500: "server error" },
      },
      (error: unknown, answer: Readable) => (error ? reject(error) : resolve(answer)),
    );
  });
}

/** Null where there is more than may be. */
export async function readBounded(answer: Readable, maxBytes = MAX_BYTES): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    // Leaving the loop ends the answer.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
