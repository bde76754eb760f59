import { join } from "node:path";
import { z } from "zod";

const Env = z.object({
  PATH: z.string().default("/usr/local/bin:/usr/bin:/bin"),
  /** Where the clients are installed; about 1.3 GB. */
  LIVERL_REALITY_CACHE: z.string().default(join(process.cwd(), ".cache", "reality-agents")),
});

/** What the suite takes from its environment; clients get nothing of it but the path. */
export const env = Env.parse(process.env);
