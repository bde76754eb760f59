import { z } from "zod";

/** What is wrong with an input, on one line: `termination: Invalid option …; Unrecognized key: "rewrd"`. */
export function faultOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => wordsOf(path, message)).join("; ");
}

function wordsOf(path: readonly PropertyKey[], message: string): string {
  const text = message.replace(/\s+/g, " ");
  return path.length === 0 ? text : `${z.core.toDotPath(path)}: ${text}`;
}
