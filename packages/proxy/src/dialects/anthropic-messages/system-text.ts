import { z } from "zod";
import { partText } from "#dialects/content-text.ts";
import { ModelError } from "#dialects/model-error.ts";

const Blocks = z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }));
/** Claude Code's first block: it differs per conversation and would make every prompt another one. */
const BILLING = "x-anthropic-billing-header:";

/** The system prompt as one text, without the client's billing block. Throws ModelError. */
export function systemText(system: unknown): string {
  if (system === undefined || system === null) return "";
  if (typeof system === "string") return system.startsWith(BILLING) ? "" : system;
  const blocks = Blocks.safeParse(system);
  if (!blocks.success)
    throw ModelError.invalid("system", "system must be a text or a list of text blocks.");
  return blocks.data
    .map((block, i) => partText(block, `system.${i}`))
    .filter((text) => !text.startsWith(BILLING))
    .join("\n");
}
