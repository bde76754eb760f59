// A trial in a real container as a person watches it, in Chromium: phases, its growing log, its sandbox, patch and verdict.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { LiveRL } from "../../../bench/liverl.mjs";
import { ensureChromium } from "../../../scripts/chromium.mjs";
import { makeTask } from "./make-tasks.mjs";
import { demand, rolloutOf } from "./rollouts.mjs";
import { Runner } from "./runner.mjs";

const RESULT_MS = 180_000;
const PROJECT = "sandboxes";

/** Control and its pages, too. */
function buildAll() {
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    stdio: ["ignore", "ignore", "inherit"],
  });
  demand(built.status === 0, "LiveRL could not be built");
}

/** `runOf`: what the runner is told of a run with that agent. */
export async function watchTrial({ directory, runOf }) {
  const picture = join(directory, "watched.png");
  const task = makeTask(join(directory, "tasks"), "watched", {
    // Long enough to be looked at.
    test: `sleep 15
if [ "$(cat /app/answer)" = repaired ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
echo "looked at /app/answer"`,
    isRepository: true,
  });
  buildAll();
  const liverl = await LiveRL.create();
  await liverl.start();
  const executablePath = ensureChromium() ?? undefined;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  try {
    const folder = join(directory, "watched");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "metrics.jsonl");
    writeFileSync(path, `${JSON.stringify({ step: 1, data: { "critic/rewards/mean": 0 } })}\n`);
    const { id } = await liverl.mutate("run.attach", { project: PROJECT, name: "watched", path });
    const runner = new Runner(liverl.dataDir);
    await runner.ready();
    const { status, content } = await runner.register(id, runOf("mini"));
    demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
    const finished = runner.rollout(rolloutOf(id, task, 0));
    await page.goto(liverl.signInUrl);
    await page.goto(`${liverl.url}/p/${PROJECT}/runs/${id}/rollouts`);
    await page.locator('a[href*="/traj/"]').first().click();
    const phases = page.getByRole("list", { name: "Phases of the trial" });
    await phases.locator('[data-state="now"]', { hasText: "Verifier" }).waitFor();
    demand(
      (await phases.locator('[data-state="done"]').count()) === 3,
      "phases before the verifier",
    );
    const trialUrl = page.url();
    await page.goto(`${liverl.url}/p/${PROJECT}/cluster`);
    await page.getByRole("list", { name: "Sandboxes" }).getByText("watched").first().waitFor();
    await page.goto(`${trialUrl}?tab=files&file=trial.log`);
    await page.getByText(/The agent mini starts/).waitFor();
    // Its verdict comes to the page by itself.
    await page.getByText(/The verifier: /).waitFor({ timeout: RESULT_MS });
    const { reward } = await finished;
    demand(reward === 1, `the reward is ${reward}`);
    await page.getByText("Solved", { exact: true }).waitFor();
    await page.goto(`${trialUrl}?tab=patch`);
    await page.getByText("answer").first().waitFor();
    await page.goto(`${trialUrl}?tab=verifier`);
    await page.getByText("looked at /app/answer").waitFor();
    await page.screenshot({ path: picture });
    return { reward };
  } catch (error) {
    await page.screenshot({ path: picture }).catch(() => undefined);
    throw error;
  } finally {
    await browser.close();
    await liverl.stop();
    liverl.remove();
  }
}
