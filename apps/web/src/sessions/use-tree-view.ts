"use client";
import { parseAsInteger, useQueryStates } from "nuqs";

/** What is chosen in the tree, held in the URL: both are ids of calls. */
export function useTreeView() {
  const [state, set] = useQueryStates({ fork: parseAsInteger, call: parseAsInteger });
  return { ...state, set };
}
