import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";

/**
 * A request's body as what is new in it: the first `head` and the last `tail` bytes are those of call `from`, and `text`
 * stands between them. With no `from` it is `text`.
 */
export const SentBody = z.object({
  from: z.number().int().nullable(),
  head: z.number().int(),
  tail: z.number().int(),
  text: z.string(),
});
export type SentBody = z.infer<typeof SentBody>;

export function sentBodyOf({ bytes, shared }: ReadBody): SentBody {
  const { callId: from, head, tail } = shared ?? { callId: null, head: 0, tail: 0 };
  return { from, head, tail, text: bytes.toString("utf8", head, bytes.length - tail) };
}

/** The whole body of a call again. Null where a call that it was taken from is not known. */
export function wholeBody(
  callId: number,
  bodyOf: (callId: number) => SentBody | null,
): Buffer | null {
  const chain: SentBody[] = [];
  for (let id: number | null = callId; id !== null; ) {
    const body = bodyOf(id);
    if (!body) return null;
    chain.push(body);
    id = body.from;
  }
  let bytes = Buffer.alloc(0);
  for (const { head, tail, text } of chain.reverse())
    bytes = Buffer.concat([
      bytes.subarray(0, head),
      Buffer.from(text, "utf8"),
      bytes.subarray(bytes.length - tail),
    ]);
  return bytes;
}
