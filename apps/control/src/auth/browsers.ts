import { AppError } from "@liverl/contract/app-error";
import type { RevokeBrowser, SignedInBrowser } from "@liverl/contract/browser";
import type { Pool } from "pg";
import type { RequestContext } from "#trpc.ts";

type Asking = Pick<RequestContext, "pool" | "browser">;

interface Row {
  id: string;
  user_agent: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date;
}

/** Newest first. */
export async function listBrowsers(ctx: Asking): Promise<{ browsers: SignedInBrowser[] }> {
  const { rows } = await ctx.pool.query<Row>(
    `SELECT id, user_agent, created_at, last_used_at, expires_at FROM auth_session
     WHERE expires_at > now() ORDER BY created_at DESC`,
  );
  return {
    browsers: rows.map((row) => ({
      id: row.id,
      userAgent: row.user_agent,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
      expiresAt: row.expires_at.toISOString(),
      isThis: row.id === ctx.browser,
    })),
  };
}

/** From the next request on the browser is signed out; its open sockets end within seconds. */
export async function revokeBrowser(
  ctx: Asking,
  { id }: RevokeBrowser,
): Promise<Record<string, never>> {
  const { rowCount } = await ctx.pool.query("DELETE FROM auth_session WHERE id = $1", [id]);
  if (rowCount === 0)
    throw new AppError("NOT_FOUND", { userMessage: `No browser ${id} is signed in.` });
  return {};
}

/** Signs out every browser, the asking one among them. */
export async function revokeAllBrowsers(ctx: Asking): Promise<{ count: number }> {
  const { rowCount } = await ctx.pool.query("DELETE FROM auth_session");
  return { count: rowCount ?? 0 };
}

/** Signs out the browser that asks. */
export async function signOut(ctx: Asking): Promise<Record<string, never>> {
  if (ctx.browser === undefined)
    throw new AppError("BAD_REQUEST", {
      userMessage: "Only a browser signs out: a token is revoked.",
    });
  return revokeBrowser(ctx, { id: ctx.browser });
}

/** Sessions and sign-in codes that have ended. */
export async function clearExpired(pool: Pool): Promise<void> {
  await pool.query("DELETE FROM auth_session WHERE expires_at <= now()");
  await pool.query("DELETE FROM login_code WHERE expires_at <= now()");
}
