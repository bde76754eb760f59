import { trimEnd } from "@liverl/contract/trim-end";

const HIDDEN = "****";
/** Shorter ones would take harmless words with them. */
const MIN_LENGTH = 8;

/** The text without any of the secrets, as they are, in base64, in a URL or in JSON. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [
      secret,
      Buffer.from(secret).toString("base64"),
      trimEnd(Buffer.from(secret).toString("base64"), "="),
      Buffer.from(secret).toString("base64url"),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]);
  // The longest first: a secret may be a part of another.
  return [...new Set(forms)]
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, form) => scrubbed.replaceAll(form, HIDDEN), text);
}
