import { z } from "zod";

/** Of one rollout. */
export const MOST_TAGS = 20;
export const MOST_NOTE = 4_000;

export const Tag = z
  .string()
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,39}$/u, "letters, digits, '.', '_' or '-', 40 at most");
