import { z } from "zod";
import { AgentName } from "#proxy-admin.ts";

/** Of a trial's folder: what the agent's commands printed and when, as asciicast v2. */
export const RECORDING_FILE = "agent/recording.cast";
/** Of a trial's folder: what an agent that is a program printed, without times. */
export const outputFile = (agent: string) => `agent/${agent}.txt`;

/** The first that is there is what a terminal shows. */
export const TERMINAL_FILES: readonly string[] = [
  RECORDING_FILE,
  ...AgentName.options.map(outputFile),
];

/** A line of a recording after its first: seconds since it began, `o` for output or `m` for the beginning of a command, and the text. */
export const CastEvent = z.tuple([z.number().nonnegative(), z.string(), z.string()]);
export type CastEvent = z.infer<typeof CastEvent>;

export const CastHeader = z.looseObject({
  version: z.literal(2),
  width: z.number().int().min(1).max(1_000),
  height: z.number().int().min(1).max(1_000),
});
export type CastHeader = z.infer<typeof CastHeader>;

/** A part of what a trial's terminal shows, in bytes of its file. */
export const TerminalPart = z.object({
  /** Null while there is none. */
  path: z.string().nullable(),
  text: z.string(),
  /** Where the next part begins. */
  next: z.number().int(),
  /** Bytes of the file now, and whether it is longer than is ever told. */
  sizeBytes: z.number().int(),
  isCut: z.boolean(),
  isLive: z.boolean(),
});
export type TerminalPart = z.infer<typeof TerminalPart>;
