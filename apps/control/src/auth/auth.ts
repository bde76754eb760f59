import { createHash, randomBytes } from "node:crypto";
import { TOKEN_PREFIX } from "@liverl/contract/api-token";
import { randomToken, tokensMatch } from "@liverl/durable/http-token";
import type { Pool } from "pg";
import { findToken } from "#auth/api-tokens.ts";
import type { Scope } from "#auth/scope.ts";

const CODE_LIFE_MS = 10 * 60_000;
const SESSION_LIFE_MS = 30 * 24 * 3600_000;
/** How long a session that was seen needs no look into the database: also bridges a restart of PostgreSQL. */
const SEEN_LIFE_MS = 60_000;
const SEEN_MOST = 1_000;

export const SESSION_COOKIE = "liverl";
export const SESSION_LIFE_S = SESSION_LIFE_MS / 1000;

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** Who asks, and what that opens. */
export interface Identity {
  /** `operator`, `ingest`, or `token:<name>`. */
  actor: string;
  scope: Scope;
}

export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** Bits of an ingest token, in hex: W&B's older clients take a key of exactly 40 characters and without a hyphen. */
const INGEST_TOKEN_BYTES = 20;
export const createIngestToken = () => randomBytes(INGEST_TOKEN_BYTES).toString("hex");

/**
 * Who may come in: holders of the operator's token or of one that was made for a scope, trainers with the ingest token, and
 * browsers that exchanged a one-time code for a cookie. Only hashes are stored.
 */
export class Auth {
  readonly #pool: Pool;
  readonly #tokens: { operator: string; ingest: string };
  readonly #seen = new Map<string, number>();

  constructor(pool: Pool, tokens: { operator: string; ingest: string }) {
    this.#pool = pool;
    this.#tokens = tokens;
  }

  /** Who that is, or null. */
  async identify({ authorization, cookie }: Credentials): Promise<Identity | null> {
    if (authorization !== undefined) return this.#identifyHeader(authorization);
    const known = cookie !== undefined && (await this.#isSession(cookie));
    return known ? { actor: "operator", scope: "admin" } : null;
  }

  /** Trackers' clients send a token as a password (RFC 7617), too; then it opens no more than they need. */
  async #identifyHeader(authorization: string): Promise<Identity | null> {
    const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (bearer?.startsWith(TOKEN_PREFIX)) {
      const known = await findToken(this.#pool, bearer);
      return known && { actor: `token:${known.name}`, scope: known.scope };
    }
    if (bearer !== undefined && tokensMatch(bearer, this.#tokens.operator))
      return { actor: "operator", scope: "admin" };
    const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
    const pair = basic === undefined ? "" : Buffer.from(basic, "base64").toString("utf8");
    const given = bearer ?? pair.slice(pair.indexOf(":") + 1);
    if (tokensMatch(given, this.#tokens.ingest)) return { actor: "ingest", scope: "ingest" };
    return tokensMatch(given, this.#tokens.operator)
      ? { actor: "operator", scope: "ingest" }
      : null;
  }

  /** A code that signs in one browser, once, within ten minutes. */
  async createLoginCode(): Promise<string> {
    const code = randomToken();
    await this.#pool.query("INSERT INTO login_code (hash, expires_at) VALUES ($1, $2)", [
      hashOf(code),
      new Date(Date.now() + CODE_LIFE_MS),
    ]);
    return code;
  }

  /** The secret of a new session, or null for a code that is unknown, too old or used. */
  async redeemLoginCode(code: string): Promise<string | null> {
    const { rowCount } = await this.#pool.query(
      "UPDATE login_code SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()",
      [hashOf(code)],
    );
    if (rowCount !== 1) return null;
    const secret = randomToken();
    await this.#pool.query("INSERT INTO auth_session (hash, expires_at) VALUES ($1, $2)", [
      hashOf(secret),
      new Date(Date.now() + SESSION_LIFE_MS),
    ]);
    return secret;
  }

  async #isSession(secret: string): Promise<boolean> {
    const hash = hashOf(secret);
    if ((this.#seen.get(hash) ?? 0) > Date.now()) return true;
    const { rowCount } = await this.#pool.query(
      "SELECT 1 FROM auth_session WHERE hash = $1 AND expires_at > now()",
      [hash],
    );
    if (rowCount !== 1) return false;
    if (this.#seen.size >= SEEN_MOST) this.#seen.clear();
    this.#seen.set(hash, Date.now() + SEEN_LIFE_MS);
    return true;
  }
}
