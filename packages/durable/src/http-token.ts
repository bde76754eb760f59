import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing, writeFileAtomic } from "#atomic-file.ts";

const TOKEN_BYTES = 32;

/** 256 random bits as base64url. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** The token in the file; made on the first call, readable by its owner only. */
export async function loadOrCreateToken(path: string, create = randomToken): Promise<string> {
  try {
    const token = (await readFile(path, "utf8")).trim();
    // Emptied by a full disk or by hand: nothing could ever match it.
    if (token !== "") return token;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const token = create();
  await writeFileAtomic(path, `${token}\n`, { mode: 0o600 });
  return token;
}

/** Compares in constant time: digests, so that lengths do not matter. */
export function tokensMatch(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Whether an `Authorization: Bearer …` header carries the token. */
export function bearerMatches(header: string | undefined, token: string): boolean {
  const given = /^Bearer (\S+)$/i.exec(header ?? "")?.[1];
  return given !== undefined && tokensMatch(given, token);
}
