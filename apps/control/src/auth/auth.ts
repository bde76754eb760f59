import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type ApiToken, TOKEN_PREFIX } from "@liverl/contract/api-token";
import { TICKET_LIFE_MS, ticketText } from "@liverl/contract/page-key";
import { randomToken, tokensMatch } from "@liverl/durable/http-token";
import type { Pool } from "pg";
import { findToken, INGEST_TOKEN } from "#auth/api-tokens.ts";
import { clearExpired } from "#auth/browsers.ts";
import type { Scope } from "#auth/scope.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";

const CODE_LIFE_MS = 10 * 60_000;
const SESSION_LIFE_MS = 30 * 24 * 3600_000;
/** How long a browser that was seen may go on while the database is away. */
const SEEN_LIFE_MS = 60_000;
const SEEN_MOST = 1_000;
const MOST_AGENT = 300;

export const SESSION_COOKIE = "liverl";
export const SESSION_LIFE_S = SESSION_LIFE_MS / 1000;

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** Who asks, and what that opens. */
export interface Identity {
  /** `operator`, `ingest`, or `token:<name>`. */
  actor: string;
  scope: Scope;
  /** Of a signed-in browser: its id. */
  browser?: string;
  /** Of an ingest token of one project. */
  project?: string;
}

/** What shows that a request with a cookie comes from one of our own pages. */
export type PageProof =
  /** The empty page needs none: it shows nothing before it has asked with its key. */
  | { kind: "none-needed" }
  | { kind: "key"; key: string }
  | { kind: "ticket"; untilMs: number; signature: string; place: string };

export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
  proof: PageProof | null;
}

interface Browser {
  id: string;
  pageHash: string;
}

/**
 * Who may come in: holders of the operator's token or of one that was made for a scope, trainers with the ingest token, and
 * browsers that exchanged a one-time code for a cookie and a key of their pages. Only hashes are stored.
 */
export class Auth {
  readonly #pool: Pool;
  readonly #tokens: { operator: string; ingest: string };
  readonly #seen = new Map<string, { browser: Browser; untilMs: number }>();

  constructor(pool: Pool, tokens: { operator: string; ingest: string }) {
    this.#pool = pool;
    this.#tokens = tokens;
  }

  /** Who that is, or null. */
  async identify({ authorization, cookie, proof }: Credentials): Promise<Identity | null> {
    if (authorization !== undefined) return this.#identifyHeader(authorization);
    if (cookie === undefined || proof === null) return null;
    const browser = await this.#findBrowser(hashOf(cookie));
    if (browser === null || !proves(proof, browser.pageHash)) return null;
    const scope = proof.kind === "none-needed" ? "read" : "admin";
    return { actor: "operator", scope, browser: browser.id };
  }

  /** Trackers' clients send a token as a password (RFC 7617), too; then it opens no more than they need. */
  async #identifyHeader(authorization: string): Promise<Identity | null> {
    const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (bearer?.startsWith(TOKEN_PREFIX)) {
      const known = await findToken(this.#pool, bearer);
      return known && identityOf(known);
    }
    if (bearer !== undefined && tokensMatch(bearer, this.#tokens.operator))
      return { actor: "operator", scope: "admin" };
    const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
    const pair = basic === undefined ? "" : Buffer.from(basic, "base64").toString("utf8");
    const given = bearer ?? pair.slice(pair.indexOf(":") + 1);
    if (tokensMatch(given, this.#tokens.ingest)) return { actor: "ingest", scope: "ingest" };
    if (INGEST_TOKEN.test(given)) {
      const known = await findToken(this.#pool, given);
      return known && identityOf(known);
    }
    return tokensMatch(given, this.#tokens.operator)
      ? { actor: "operator", scope: "ingest" }
      : null;
  }

  /** A code that signs in one browser, once, within ten minutes. */
  async createLoginCode(): Promise<string> {
    const code = randomToken();
    await clearExpired(this.#pool);
    await this.#pool.query("INSERT INTO login_code (hash, expires_at) VALUES ($1, $2)", [
      hashOf(code),
      new Date(Date.now() + CODE_LIFE_MS),
    ]);
    return code;
  }

  /** The cookie and the page key of a new session, or null for a code that is unknown, too old or used. */
  async redeemLoginCode(
    code: string,
    userAgent = "",
  ): Promise<{ id: string; cookie: string; pageKey: string } | null> {
    const { rowCount } = await this.#pool.query(
      "UPDATE login_code SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()",
      [hashOf(code)],
    );
    if (rowCount !== 1) return null;
    const [cookie, pageKey] = [randomToken(), randomToken()];
    const id = randomBytes(6).toString("hex");
    await this.#pool.query(
      "INSERT INTO auth_session (hash, id, page_hash, user_agent, expires_at) VALUES ($1, $2, $3, $4, $5)",
      [
        hashOf(cookie),
        id,
        hashOf(pageKey),
        userAgent.replaceAll("\0", "").slice(0, MOST_AGENT),
        new Date(Date.now() + SESSION_LIFE_MS),
      ],
    );
    return { id, cookie, pageKey };
  }

  /** Asked anew each time, so that a revoked session ends at once; one seen lately bridges a restart of PostgreSQL. */
  async #findBrowser(hash: string): Promise<Browser | null> {
    try {
      const { rows } = await this.#pool.query<{ id: string; page_hash: string; seen: boolean }>(
        `SELECT id, page_hash, COALESCE(last_used_at > now() - interval '1 minute', false) AS seen
         FROM auth_session WHERE hash = $1 AND expires_at > now()`,
        [hash],
      );
      const [row] = rows;
      if (!row) {
        this.#seen.delete(hash);
        return null;
      }
      if (!row.seen)
        await this.#pool.query("UPDATE auth_session SET last_used_at = now() WHERE hash = $1", [
          hash,
        ]);
      const browser = { id: row.id, pageHash: row.page_hash };
      if (this.#seen.size >= SEEN_MOST) this.#seen.clear();
      this.#seen.set(hash, { browser, untilMs: Date.now() + SEEN_LIFE_MS });
      return browser;
    } catch (error) {
      const seen = this.#seen.get(hash);
      if (isDatabaseAway(error) && seen !== undefined && seen.untilMs > Date.now())
        return seen.browser;
      throw error;
    }
  }
}

const identityOf = ({ name, scope, project }: Pick<ApiToken, "name" | "scope" | "project">) => ({
  ...{ actor: `token:${name}`, scope },
  ...(project !== null && { project }),
});

function proves(proof: PageProof, pageHash: string): boolean {
  if (proof.kind === "none-needed") return true;
  if (proof.kind === "key") return isSame(hashOf(proof.key), pageHash);
  const { untilMs, signature, place } = proof;
  const leftMs = untilMs - Date.now();
  const made = createHmac("sha256", pageHash).update(ticketText(untilMs, place));
  return leftMs > 0 && leftMs <= TICKET_LIFE_MS && isSame(signature, made.digest("base64url"));
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
