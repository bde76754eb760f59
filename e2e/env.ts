/** The only reader of this room's environment variables. */
export const env = {
  /** The `warmup` folder of another data directory: runs take their first policy from there, and need not make it. */
  warmup: process.env.LIVERL_E2E_WARMUP,
};
