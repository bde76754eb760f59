/** What the environment says; flags win over it. */
export interface Env {
  url: string | undefined;
  token: string | undefined;
}

export function readEnv(): Env {
  return { url: process.env.LIVERL_URL || undefined, token: process.env.LIVERL_TOKEN || undefined };
}
