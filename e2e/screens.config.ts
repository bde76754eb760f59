import config from "./playwright.config.ts";

/** `npm run screens`: writes docs/screens anew, from runs that train to their end. */
export default { ...config, testDir: "./screens" };
