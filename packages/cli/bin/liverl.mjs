#!/usr/bin/env node
// `npm run -s liverl -- …`, or `npx liverl …`: builds the program when it was not built yet, then is it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);
const program = new URL("dist/liverl.mjs", root);
if (!existsSync(program)) {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs", "--only=liverl"], {
    cwd: fileURLToPath(root),
    // What the program says on stdout is for the caller alone.
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) {
    process.stderr.write(
      "liverl could not be built: run `npm install` in the checkout, then again.\n",
    );
    process.exit(1);
  }
}
await import(program.href);
