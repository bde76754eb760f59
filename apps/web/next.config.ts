import { fileURLToPath } from "node:url";
import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  devIndicators: false,
  // `npm test` runs tsc over this package; a second run inside the build only costs time.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: fileURLToPath(new URL("../..", import.meta.url)) },
  transpilePackages: ["@liverl/contract"],
};

export default config;
