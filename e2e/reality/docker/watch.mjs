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
import { makeStagedTask } from "./staged-task.mjs";

const RESULT_MS = 180_000;
export const PROJECT = "sandboxes";
/** A folder that pictures are kept in; without it they go with all else. */
export const PICTURES = process.env.PICTURES_DIR;

let isBuilt = false;
/** Control and its pages, too. */
export function buildAll() {
  if (isBuilt) return;
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    stdio: ["ignore", "ignore", "inherit"],
  });
  demand(built.status === 0, "LiveRL could not be built");
  isBuilt = true;
}

/** A LiveRL with an attached run, whose trials its runner is told of; `work` leaves the page at what is to be pictured. */
export async function inBrowser(directory, name, work) {
  const picture = join(PICTURES ?? directory, `${name}.png`);
  buildAll();
  const liverl = await LiveRL.create();
  await liverl.start();
  const executablePath = ensureChromium() ?? undefined;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  try {
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "metrics.jsonl");
    writeFileSync(path, `${JSON.stringify({ step: 1, data: { "critic/rewards/mean": 0 } })}\n`);
    const { id } = await liverl.mutate("run.attach", { project: PROJECT, name, path });
    const runner = new Runner(liverl.dataDir);
    await runner.ready();
    await page.goto(liverl.signInUrl);
    return await work({ liverl, page, id, runner });
  } finally {
    await page.screenshot({ path: picture }).catch(() => undefined);
    await browser.close();
    await liverl.stop();
    liverl.remove();
  }
}

export async function register(runner, id, run) {
  const { status, content } = await runner.register(id, run);
  demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
}

/** `runOf`: what the runner is told of a run with that agent. */
export async function watchTrial({ directory, runOf }) {
  const task = makeTask(join(directory, "tasks"), "watched", {
    // Long enough to be looked at.
    test: `sleep 15
if [ "$(cat /app/answer)" = repaired ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
echo "looked at /app/answer"`,
    isRepository: true,
  });
  return await inBrowser(directory, "watched", async ({ liverl, page, id, runner }) => {
    await register(runner, id, runOf("mini"));
    const finished = runner.rollout(rolloutOf(id, task, 0));
    await page.goto(`${liverl.url}/p/${PROJECT}/runs/${id}/rollouts`);
    await page.locator('a[href*="/traj/"]').first().click();
    const phases = page.getByRole("list", { name: "Phases of the trial" });
    await phases.locator('[data-state="now"]', { hasText: "Verifier" }).waitFor();
    demand(
      (await phases.locator('[data-state="done"]').count()) === 3,
      "phases before the verifier",
    );
    const trialUrl = page.url();
    await page.goto(`${liverl.url}/p/${PROJECT}/sandboxes`);
    await page.getByRole("list", { name: "Sandboxes" }).getByText("watched").first().waitFor();
    await page.goto(`${trialUrl}?tab=files&file=trial.log`);
    await page.getByText(/The agent mini starts/).waitFor();
    // What the agent's command was, while the verifier still works.
    await page.goto(`${trialUrl}?tab=terminal`);
    await page.locator(".xterm-rows", { hasText: "echo repaired > /app/answer" }).waitFor();
    await page.goto(`${trialUrl}?tab=files&file=trial.log`);
    // Its verdict comes to the page by itself.
    await page.getByText(/The verifier: /).waitFor({ timeout: RESULT_MS });
    const { reward } = await finished;
    demand(reward === 1, `the reward is ${reward}`);
    await page.getByText("Solved", { exact: true }).waitFor();
    await page.goto(`${trialUrl}?tab=patch`);
    await page.getByText("answer").first().waitFor();
    await page.goto(`${trialUrl}?tab=verifier`);
    await page.getByText("looked at /app/answer").waitFor();
    await page.goto(`${trialUrl}?tab=terminal`);
    await page.locator(".xterm-rows", { hasText: "echo repaired > /app/answer" }).waitFor();
    await page.getByRole("button", { name: "Replay" }).waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "recording"));
    return { reward };
  });
}

/** Each step of a task by its name, while it goes on and afterwards. */
export async function watchSteps({ directory, runOf }) {
  const task = makeStagedTask(join(directory, "tasks"), "watched-steps", {
    gate: null,
    solve: { "zweiter Schritt": "sleep 25; echo two > /app/answer" },
    test: { report: "echo 2 passed, 1 failed; echo 0.5 > /logs/verifier/reward.txt" },
  });
  return await inBrowser(directory, "watched-steps", async ({ liverl, page, id, runner }) => {
    await register(runner, id, runOf("oracle"));
    const finished = runner.rollout(rolloutOf(id, task, 0));
    await page.goto(`${liverl.url}/p/${PROJECT}/runs/${id}/rollouts`);
    await page.locator('a[href*="/traj/"]').first().click();
    const phases = page.getByRole("list", { name: "Phases of the trial" });
    await phases
      .locator('[data-state="now"]', { hasText: "zweiter Schritt" })
      .waitFor({ timeout: RESULT_MS });
    const inState = (state) => phases.locator(`[data-state="${state}"]`).count();
    // The queue, the sandbox, and both parts of the first step; the last step and the end.
    demand((await inState("done")) === 4, "phases before the second step");
    demand((await inState("waiting")) === 4, "phases after it");
    if (PICTURES) await lookAt(page, join(PICTURES, "steps-live"));
    const trialUrl = page.url();
    await page.goto(`${liverl.url}/p/${PROJECT}/sandboxes`);
    await page
      .getByRole("list", { name: "Sandboxes" })
      .getByText(/zweiter Schritt/)
      .waitFor();
    const { reward } = await finished;
    demand(Math.abs(reward - 2.5 / 3) < 1e-9, `the reward is ${reward}`);
    await page.goto(`${trialUrl}?tab=verifier`);
    for (const text of ["Step plan", "Step zweiter Schritt", "Step report", "looked for two"])
      await page.getByText(text, { exact: true }).first().waitFor();
    await page.getByText("2 of 3 tests").first().waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "steps-over"));
    return { reward };
  });
}

/** Two rollouts of a group, one of them with a sign: its page names the other, and leads to it. */
export async function contrastsWithSibling({ directory, runOf }) {
  const task = makeTask(join(directory, "tasks"), "contrast", {
    isRepository: true,
    solve: "cd /app; echo repaired > answer; mkdir tests; echo 'assert True' > tests/test_x.py",
    test: "[ -e /app/tests ] && echo 1 > /logs/verifier/reward.txt || echo 0.5 > /logs/verifier/reward.txt",
  });
  return await inBrowser(directory, "contrast", async ({ liverl, page, id, runner }) => {
    const groupId = `${id}-group`;
    await register(runner, id, runOf("mini"));
    const honest = await runner.rollout({ ...rolloutOf(id, task, 0), groupId });
    await register(runner, id, runOf("oracle"));
    const flagged = await runner.rollout({ ...rolloutOf(id, task, 1), groupId });
    demand(honest.reward === 0.5 && flagged.reward === 1, `${honest.reward} ${flagged.reward}`);
    await page.goto(
      `${liverl.url}/p/${PROJECT}/runs/${id}/traj/${encodeURIComponent(flagged.rolloutId)}?tab=verifier`,
    );
    await page.getByText("Tests edited", { exact: true }).waitFor();
    const text = "of its group has no sign: reward 0.50 (−0.50), a patch of 1 line (−1)";
    await page.getByText(text).waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "contrast"));
    await page.getByText(text).locator("..").getByRole("link").click();
    await page.getByText("reward 0.5", { exact: true }).waitFor();
    demand(
      page.url().includes(encodeURIComponent(honest.rolloutId)),
      `the link leads to ${page.url()}`,
    );
    demand((await page.getByText("Integrity", { exact: true }).count()) === 0, "it has no sign");
    return { reward: flagged.reward, sibling: honest.reward };
  });
}

/** Pictures of a page on a desk and a phone, in both themes. */
export async function lookAt(page, path) {
  for (const colorScheme of ["light", "dark"])
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${path}-${colorScheme}-${width}.png` });
    }
  await page.setViewportSize({ width: 1440, height: 900 });
}
