import { createHash, createHmac } from "node:crypto";
import { tokensMatch } from "@liverl/durable/http-token";
import { LRUCache } from "lru-cache";

const CACHED_DIGESTS = 4096;

/**
 * Session keys follow from one secret and the session's id: a repeated opening gives the same key though
 * only its digest is ever kept.
 */
export class Capabilities {
  readonly #secret: string;
  readonly #digests = new LRUCache<string, string>({ max: CACHED_DIGESTS });

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** 256 bits, base64url. */
  derive(sessionId: string): string {
    return createHmac("sha256", this.#secret).update(sessionId).digest("base64url");
  }

  /** Constant time in the key. */
  matches(sessionId: string, given: string): boolean {
    let expected = this.#digests.get(sessionId);
    if (expected === undefined) {
      expected = digestOf(this.derive(sessionId));
      this.#digests.set(sessionId, expected);
    }
    return tokensMatch(digestOf(given), expected);
  }
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url");
