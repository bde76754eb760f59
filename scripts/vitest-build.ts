import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Tests start the real processes: their bundles must be those of the sources under test. */
export function setup(): void {
  const names = [
    "control",
    "ingest-worker",
    "proxy",
    "stand-alone",
    "runner",
    "agent-worker",
    "code-worker",
    "sandbox-tunnel",
    "engine",
    "trainer",
    "model",
    "two-policies",
    "audit",
    "audit-logprobs",
    "liverl",
  ];
  execFileSync(process.execPath, ["scripts/build.mjs", `--only=${names.join(",")}`], {
    stdio: "inherit",
  });
  if (!existsSync("dist")) throw new Error("the build left no dist folder");
}
