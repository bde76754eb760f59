// One run of real verl as a person launches and watches it, in Chromium.
import { chromium } from "@playwright/test";
import { ensureChromium } from "../../../scripts/chromium.mjs";

const BOOT_MS = 300_000;
const RUN_MS = 900_000;

/** Resolves with what was seen; throws at the first thing that is not there. `picture`: a screenshot of the end. */
export async function launchInBrowser(liverl, spec, picture) {
  const executablePath = ensureChromium() ?? undefined;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  try {
    await page.goto(liverl.signInUrl);
    await page.goto(`${liverl.url}/p/${spec.project}/launch`);
    await page.getByText("YAML", { exact: true }).first().click();
    // JSON is YAML.
    await page.getByLabel("Launch spec as YAML").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(JSON.stringify(spec, null, 2));
    await page.getByRole("button", { name: /^Launch/ }).click();
    await page.waitForURL(new RegExp(`/runs/${spec.name}-01`));
    const boot = page.getByRole("region", { name: "Boot", exact: true });
    await boot.waitFor();
    const phases = [];
    // What the run waits for, one after the other.
    for (const phase of ["ray", "placement group"]) {
      await boot.getByText(`Booting: ${phase}`).waitFor({ timeout: BOOT_MS });
      phases.push(phase);
    }
    const reward = page.getByRole("article", { name: /^critic\/rewards\/mean/ });
    await reward.getByText(/at step [1-9]/).waitFor({ timeout: RUN_MS });
    await page.getByText("Succeeded").first().waitFor({ timeout: RUN_MS });
    await page.goto(`${liverl.url}/p/${spec.project}/runs/${spec.name}-01/rollouts`);
    await page.locator('a[href*="/traj/"]').first().click();
    const tokens = page.locator("span[data-index]");
    await tokens.first().waitFor();
    await page.screenshot({ path: picture });
    return { phases, tokensShown: await tokens.count(), url: page.url() };
  } catch (error) {
    await page.screenshot({ path: picture }).catch(() => {});
    throw error;
  } finally {
    await browser.close();
  }
}
