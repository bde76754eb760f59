import { z } from "zod";

/** A browser that is signed in. */
export const SignedInBrowser = z.object({
  id: z.string(),
  /** As it names itself; empty where it does not. */
  userAgent: z.string(),
  createdAt: z.string(),
  /** To the minute; null before its first request. */
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string(),
  /** The one that asks. */
  isThis: z.boolean(),
});
export type SignedInBrowser = z.infer<typeof SignedInBrowser>;

export const RevokeBrowser = z.object({ id: z.string().max(40) });
export type RevokeBrowser = z.infer<typeof RevokeBrowser>;
