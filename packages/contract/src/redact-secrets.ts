const HIDDEN = "[redacted]";
/** Shorter ones would take harmless words with them. */
const SHORTEST_KNOWN = 16;
/** What LiveRL itself hands out on this machine, as it is. */
const known = new Set<string>();

/** Values that are taken out of every text from now on: tokens of this data directory. */
export function rememberSecrets(values: readonly string[]): void {
  for (const value of values) if (value.length >= SHORTEST_KNOWN) known.add(value);
}

/** Not a secret though it stands where one could: nothing, a word, a variable's name, what was taken out already. */
const NO_VALUE = String.raw`(?!null\b|none\b|true\b|false\b|\*\*|<|\$|\[redacted)`;
const NAMES = String.raw`passwords?|passwd|pwd|passphrase|secrets?|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|(?:auth|access|refresh|id|bearer|session)[_-]?token`;
/** Behind a name that says no more than "token" stands a secret only where it looks like one: `eos_token: </s>` is none. */
const TOKEN_VALUE = String.raw`(?=[^\s"']{0,40}\d)(?=[^\s"']{0,40}[A-DF-Za-df-z])[A-Za-z0-9._~+/=-]{16,500}`;

/** Each keeps its first group. All take linear time: they hold counted repeats, and none needs what follows a run. */
const PATTERNS: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/g,
  // The body of a key that is printed line by line.
  /(^)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/]{64}$/g,
  /(\b(?:Bearer|Basic)\s{1,9})[A-Za-z0-9._~+/=-]{12,}/gi,
  /(\/sess\/[^/\s"]{1,200}\/)(?!v1\b)[A-Za-z0-9_-]{16,}/g,
  /([?&](?:code|token|key|sig|signature|X-Amz-Signature)=)[A-Za-z0-9_.%-]{6,}/gi,
  /(:\/\/[^\s/:@"']{0,100}:)[^\s/@"']{1,300}(?=@)/g,
  // JSON web tokens, whole.
  /((?<![\w.-]))eyJ[\w-]{8,2000}\.[\w-]{4,8000}(?:\.[\w-]{0,2000})?/g,
  /(\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /(\b)(?:liverl|github_pat|gh[pousr]|hf|npm|r8|gsk|[rs]k_live|[rs]k_test|whsec|wandb_v1|dop_v1|xai|tgp_v1)_[A-Za-z0-9_-]{16,}/g,
  /(\b)(?:sk|glpat|gldt|glrt|pypi|nvapi|xox[abeoprs]|xapp|key|pplx|lsv2)-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}/g,
  /(\b)(?:sk|hf|ghp)-[A-Za-z0-9_-]{16,}/g,
  /(\b)AIza[A-Za-z0-9_-]{30,}/g,
  /(\b)ya29\.[A-Za-z0-9_-]{20,}/g,
  /(\b)SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g,
  /(hooks\.slack\.com\/services\/)[A-Za-z0-9/]{8,}/g,
  // `NAME=…`, `"name": "…"`, `name: …`, also where the quotes are escaped.
  new RegExp(
    String.raw`((?:${NAMES})(?:\\?["'])?\s{0,3}[=:]\s{0,3}(?:\\?["'])?)${NO_VALUE}[^\s"',;&\\}\]]{4,500}`,
    "gi",
  ),
  new RegExp(
    String.raw`(token(?:\\?["'])?\s{0,3}[=:]\s{0,3}(?:\\?["'])?)${NO_VALUE}${TOKEN_VALUE}`,
    "gi",
  ),
  new RegExp(
    String.raw`(--[a-z-]{0,40}(?:${NAMES})\s{1,3}["']?)${NO_VALUE}(?!-)[^\s"']{4,500}`,
    "gi",
  ),
  new RegExp(String.raw`(--[a-z-]{0,40}token\s{1,3}["']?)${NO_VALUE}${TOKEN_VALUE}`, "gi"),
  // Of a .netrc.
  /(\bpassword\s{1,3})(?=[^\s"']{0,40}\d)[A-Za-z0-9._~+/=-]{16,500}/gi,
  // Weights & Biases' keys are hex, as a commit is: its name has to stand before it.
  /((?:key|wandb)["']?\s{0,3}[=:]\s{0,3}["']?)[0-9a-f]{40}\b/gi,
  // 256 bits in base64url: our own tokens.
  /((?<![A-Za-z0-9_-]))[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
];

/** The text without secrets: our own tokens, and those of the vendors that trainers and agents use. In linear time. */
export function redactSecrets(text: string): string {
  return withoutSecrets(text, () => HIDDEN);
}

/** The same with a `*` for each character of a secret, so that the text keeps its length. */
export function maskSecrets(text: string): string {
  return withoutSecrets(text, (secret) => "*".repeat(secret.length));
}

function withoutSecrets(text: string, hide: (secret: string) => string): string {
  let safe = text;
  for (const value of known) if (safe.includes(value)) safe = safe.replaceAll(value, hide(value));
  for (const pattern of PATTERNS)
    safe = safe.replace(pattern, (whole, kept: string) => kept + hide(whole.slice(kept.length)));
  return safe;
}
