import { createHash, randomBytes } from "node:crypto";
import {
  type ApiToken,
  type CreatedToken,
  type CreateToken,
  MadeScope,
  TOKEN_PREFIX,
} from "@liverl/contract/api-token";
import { AppError } from "@liverl/contract/app-error";
import { randomToken } from "@liverl/durable/http-token";
import type { Pool } from "pg";
import type { Context } from "#context.ts";

const DAY_MS = 24 * 3600_000;
const ROW = "name, scope, project, created_at, expires_at, last_used_at";

interface Row {
  name: string;
  scope: string;
  project: string | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** 256 random bits need no slow hash. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

const viewToken = (row: Row): ApiToken => ({
  name: row.name,
  scope: MadeScope.parse(row.scope),
  project: row.project,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

/** Bytes of an ingest token, in hex: W&B's older clients take a key of exactly 40 characters and without a hyphen. */
const INGEST_TOKEN_BYTES = 20;
export const newIngestToken = () => randomBytes(INGEST_TOKEN_BYTES).toString("hex");
export const INGEST_TOKEN = /^[0-9a-f]{40}$/;

/** Makes a token and answers with it, the only time that it is told. CONFLICT where the name is taken. */
export async function createToken(
  ctx: Pick<Context, "pool">,
  { name, scope, project, days }: CreateToken,
): Promise<CreatedToken> {
  if ((scope === "ingest") !== (project !== undefined))
    throw new AppError("BAD_REQUEST", {
      userMessage: "An ingest token needs a project, and tokens of other scopes have none.",
    });
  const token = scope === "ingest" ? newIngestToken() : `${TOKEN_PREFIX}${randomToken()}`;
  const expiresAt = days === undefined ? null : new Date(Date.now() + days * DAY_MS);
  const { rows } = await ctx.pool.query<Row>(
    `INSERT INTO api_token (name, hash, scope, project, expires_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO NOTHING RETURNING ${ROW}`,
    [name, hashOf(token), scope, project ?? null, expiresAt],
  );
  const [row] = rows;
  if (!row)
    throw new AppError("CONFLICT", {
      userMessage: `There is a token ${name} already: revoke it first, or take another name.`,
    });
  return { ...viewToken(row), token };
}

/** Newest first, those that have ended among them. */
export async function listTokens(ctx: Pick<Context, "pool">): Promise<{ tokens: ApiToken[] }> {
  const { rows } = await ctx.pool.query<Row>(
    `SELECT ${ROW} FROM api_token ORDER BY created_at DESC`,
  );
  return { tokens: rows.map(viewToken) };
}

/** From the next request on the token opens nothing. */
export async function revokeToken(
  ctx: Pick<Context, "pool">,
  { name }: { name: string },
): Promise<Record<string, never>> {
  const { rowCount } = await ctx.pool.query("DELETE FROM api_token WHERE name = $1", [name]);
  if (rowCount === 0)
    throw new AppError("NOT_FOUND", { userMessage: `There is no token ${name}.` });
  return {};
}

/** Whose token that is and what it opens; null for one that is unknown, revoked or has ended. */
export async function findToken(
  pool: Pool,
  token: string,
): Promise<Pick<ApiToken, "name" | "scope" | "project"> | null> {
  const hash = hashOf(token);
  const { rows } = await pool.query<Row & { seen: boolean }>(
    `SELECT ${ROW}, COALESCE(last_used_at > now() - interval '1 minute', false) AS seen
     FROM api_token WHERE hash = $1 AND (expires_at IS NULL OR expires_at > now())`,
    [hash],
  );
  const [row] = rows;
  if (!row) return null;
  if (!row.seen)
    await pool.query("UPDATE api_token SET last_used_at = now() WHERE hash = $1", [hash]);
  return { name: row.name, scope: MadeScope.parse(row.scope), project: row.project };
}
