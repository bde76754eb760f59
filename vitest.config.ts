import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const databaseSetup = "apps/control/src/testing/global-setup.ts";

export default defineConfig({
  test: {
    include: [
      "apps/**/src/**/*.test.{ts,tsx}",
      "packages/*/src/**/*.test.ts",
      "prisma/**/*.test.ts",
      "scripts/**/*.test.ts",
      "e2e/reality/**/*.test.ts",
    ],
    globalSetup: [
      "./scripts/vitest-build.ts",
      ...(existsSync(databaseSetup) ? [`./${databaseSetup}`] : []),
    ],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
  },
});
