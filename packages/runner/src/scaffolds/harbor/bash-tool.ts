import { z } from "zod";
import type { ScaffoldWork } from "#scaffolds/harbor/scaffold.ts";

const COMMAND_TIMEOUT_MS = 120_000;
const OUTPUT_BYTES = 16 * 1024;
const Arguments = z.object({ command: z.string().min(1).max(100_000) });

export const BASH_TOOL = {
  type: "function",
  function: {
    name: "bash",
    description: `Runs a command with bash. It is killed after ${COMMAND_TIMEOUT_MS / 1_000} seconds.`,
    parameters: {
      type: "object",
      properties: { command: { type: "string", description: "The command." } },
      required: ["command"],
    },
  },
} as const;

/** Acts on one call. What the model got wrong is an answer, never an exception. */
export async function runBashTool(
  {
    sandbox,
    step,
    signal,
    recording,
  }: Pick<ScaffoldWork, "sandbox" | "step" | "signal" | "recording">,
  call: { name: string; arguments: string },
): Promise<{ text: string; isBad: boolean }> {
  const given = Arguments.safeParse(parseJson(call.arguments));
  if (call.name !== "bash" || !given.success || given.data.command.includes("\0"))
    return { text: 'Call the tool bash with {"command": "…"}.', isBad: true };
  const shown = recording?.begin(given.data.command);
  const { exitCode, output } = await sandbox.exec({
    argv: ["bash", "-c", given.data.command],
    user: step.agent.user,
    timeoutMs: COMMAND_TIMEOUT_MS,
    maxOutputBytes: OUTPUT_BYTES,
    onOutput: shown?.output,
    signal,
  });
  const ending =
    exitCode === null
      ? `[killed after ${COMMAND_TIMEOUT_MS / 1_000} seconds]`
      : `[exit code ${exitCode}]`;
  shown?.end(exitCode === 0 ? null : ending);
  return { text: `${output.replace(/\n$/, "")}\n${ending}`.trimStart(), isBad: false };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
