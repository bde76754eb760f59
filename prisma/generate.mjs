// Writes ./generated from schema.prisma. The Prisma CLI is no dependency (it alone is several hundred megabytes): npx fetches it.
// `generate` never runs the schema engine but insists that its binary exists, so any executable does.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

execFileSync("npx", ["--yes", "prisma@7.10.0", "generate", "--schema", "schema.prisma"], {
  cwd: fileURLToPath(new URL(".", import.meta.url)),
  stdio: "inherit",
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
});
