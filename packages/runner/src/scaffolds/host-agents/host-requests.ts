import { z } from "zod";
import type { Sandbox } from "#sandboxes/sandbox.ts";

/** The screen of a terminal with its history; a tool's output is far less. */
const OUTPUT_BYTES = 4 * 1024 * 1024;

const Id = z.number().int().positive();
/** What an agent on this host may ask of its sandbox. */
export const HostRequest = z.discriminatedUnion("do", [
  z.object({
    id: Id,
    do: z.literal("exec"),
    command: z.string(),
    cwd: z.string().nullable(),
    env: z.record(z.string(), z.string()),
    /** Seconds; null for no limit. */
    timeoutS: z.number().positive().nullable(),
    user: z.union([z.string(), z.number()]).nullable(),
  }),
  z.object({ id: Id, do: z.literal("upload"), source: z.string(), target: z.string() }),
  z.object({ id: Id, do: z.literal("download"), source: z.string(), target: z.string() }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

/** Does it. Answers `{fault}` with what the agent itself got wrong; throws what infrastructure did, and the signal's reason. */
export async function answerHostRequest(
  sandbox: Sandbox,
  request: HostRequest,
  { signal, onCommand }: { signal: AbortSignal; onCommand?(durationMs: number): void },
): Promise<{ value: unknown } | { fault: string }> {
  if (request.do === "upload") {
    await sandbox.upload(request.source, request.target);
    return { value: null };
  }
  if (request.do === "download") {
    const taken = await sandbox.download(request.source, request.target);
    return taken ? { value: null } : { fault: `There is no ${request.source} in the sandbox.` };
  }
  const { command, cwd, env, timeoutS, user } = request;
  const inFolder = 'cd "$1" && exec bash -c "$2"';
  const { exitCode, output, durationMs } = await sandbox.exec({
    argv: cwd === null ? ["bash", "-c", command] : ["bash", "-c", inFolder, "bash", cwd, command],
    user,
    env,
    timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  onCommand?.(durationMs);
  return { value: { exitCode, output } };
}
