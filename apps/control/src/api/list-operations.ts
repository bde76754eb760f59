import { apiPath } from "@liverl/contract/api";
import type { TokenScope } from "@liverl/contract/api-token";
import { z } from "zod";
import type { Note } from "#api/note.ts";
import { findNote } from "#api/notes.ts";
import { appRouter } from "#router.ts";
import type { ProcedureMeta } from "#trpc.ts";

/** A procedure of the router as one route of the HTTP API. */
export interface Operation {
  /** Its name in the router: `run.get`. */
  name: string;
  kind: "query" | "mutation" | "subscription";
  method: "GET" | "POST";
  path: string;
  /** Null: it takes nothing. */
  input: z.ZodObject | null;
  note: Note | null;
  /** What a token needs for it. */
  scope: TokenScope;
}

/** Every procedure that the UI has, in the router's own order. */
export function listOperations(): Operation[] {
  // By name and flat, which its type does not tell.
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: Parts }>;
  return Object.entries(procedures).map(([name, { _def }]) => {
    const { type, inputs, meta } = _def;
    const note = findNote(name);
    return {
      name,
      kind: type,
      method: type === "mutation" ? "POST" : "GET",
      path: apiPath(name),
      input: inputOf(name, inputs),
      note,
      scope: meta?.scope ?? (type === "mutation" ? "operate" : "read"),
    };
  });
}

/** What tRPC keeps of a procedure. */
interface Parts {
  type: Operation["kind"];
  inputs: readonly unknown[];
  meta?: ProcedureMeta;
}

function inputOf(name: string, inputs: readonly unknown[]): z.ZodObject | null {
  const [input, ...more] = inputs;
  if (input === undefined) return null;
  if (input instanceof z.ZodObject && more.length === 0) return input;
  throw new Error(`the input of ${name} is not one object: a query could not hold it`);
}
