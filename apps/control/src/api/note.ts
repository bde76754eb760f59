import type { inferRouterOutputs } from "@trpc/server";
import type { z } from "zod";
import type { AppRouter } from "#router.ts";

type Outputs = inferRouterOutputs<AppRouter>;
/** What a stream gives is told by its note alone; what gives nothing is answered with an empty object. */
type Frames<Output> = [Output] extends [never]
  ? Record<string, never>
  : Output extends AsyncIterable<unknown>
    ? unknown
    : Output;

/** What the document says of a procedure beyond its name and its input. */
export interface Note<Answer = unknown> {
  /** One sentence. */
  about: string;
  /** Of a stream: its frames. */
  answer: z.ZodType<Answer>;
  /** It ends or deletes something that can not be brought back. */
  isDestructive?: true;
}

/** Of the procedures of a noun. The compiler holds `answer` to what the procedure gives; a test, that none is left out. */
export type NotesOf<Noun extends keyof Outputs> = {
  [Verb in keyof Outputs[Noun]]?: Note<Frames<Outputs[Noun][Verb]>>;
};
