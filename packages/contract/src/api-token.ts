import { z } from "zod";
import { ProjectName } from "#run.ts";

/** What a token opens: reads alone; also acts on runs, sessions and checkpoints; also tokens and sign-in links. */
export const TokenScope = z.enum(["read", "operate", "admin"]);
export type TokenScope = z.infer<typeof TokenScope>;

/** To log metrics into one project, and nothing else; or one of the scopes of the API. */
export const MadeScope = z.enum([...TokenScope.options, "ingest"]);
export type MadeScope = z.infer<typeof MadeScope>;

/** Begins every token of the API, so that scanners for leaked secrets find it. */
export const TOKEN_PREFIX = "liverl_";

export const TokenName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "lower-case letters, digits, '.', '_' or '-', 63 at most");

export const CreateToken = z.object({
  name: TokenName,
  scope: MadeScope,
  /** Of an ingest token, which needs one: the project whose runs it begins and writes. */
  project: ProjectName.optional(),
  /** Days until it ends by itself; left out, it does not. */
  days: z.number().int().min(1).max(3650).optional(),
});
export type CreateToken = z.infer<typeof CreateToken>;

export const ApiToken = z.object({
  /** Unique; what it does is recorded under `token:<name>`. */
  name: z.string(),
  scope: MadeScope,
  /** Null but for ingest tokens. */
  project: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  /** To the minute. */
  lastUsedAt: z.string().nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** The one answer that holds the token itself: only its hash is kept. */
export const CreatedToken = ApiToken.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;
