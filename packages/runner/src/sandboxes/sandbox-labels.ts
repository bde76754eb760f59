/** What containers and pods of sandboxes carry: who owns them, whatever has become of it. */
export const LABEL = {
  managedBy: "app.kubernetes.io/managed-by",
  harbor: "harbor-managed",
  instance: "liverl.dev/instance",
  run: "liverl.dev/run",
  trial: "liverl.dev/trial",
  attempt: "liverl.dev/attempt",
  /** Seconds since 1970: later it belongs to nobody. */
  expiresAt: "liverl.dev/expires-at",
} as const;

/** The reaper leaves the sandbox's own end the first word. */
const EXPIRY_SLACK_S = 300;

/** Value of {@link LABEL.expiresAt} of a sandbox that starts now. */
export const expiryOf = (now: Date, lifeS: number) =>
  String(Math.ceil(Math.floor(now.getTime() / 1_000) + lifeS + EXPIRY_SLACK_S));
