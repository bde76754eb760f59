import { z } from "zod";

const Lines = z.object({
  count: z.number().int(),
  last: z.object({ _step: z.number(), _runtime: z.number(), _timestamp: z.number() }).partial(),
});

/** What is kept of a client's files besides their points: how many lines came. */
export const Stream = z
  .object({ history: Lines, events: Lines, output: z.object({ count: z.number().int() }) })
  .partial()
  .catch({});
export type Stream = z.infer<typeof Stream>;
