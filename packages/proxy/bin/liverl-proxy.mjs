#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../../../dist/proxy.mjs", import.meta.url);
if (!existsSync(program)) {
  process.stderr.write("liverl-proxy is not built: run `npm run build` first.\n");
  process.exit(2);
}
await import(program.href);
