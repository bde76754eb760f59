import { expect, test } from "#fixtures/liverl.ts";

/** The cluster page beside a run of the embedded engine. */
test("engines and processes of a run are seen while it goes on", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/cluster`);
  const engines = page.getByRole("region", { name: "Engines" });
  await expect(engines.getByText("No engine serves now")).toBeVisible();
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  await page.getByRole("button", { name: /^Launch/ }).click();
  await expect(page).toHaveURL(/\/runs\/[^/]+$/);
  await page.getByRole("link", { name: "Cluster" }).click();
  const row = engines.getByRole("row").nth(1);
  await expect(row.getByText("up")).toBeVisible({ timeout: 60_000 });
  // It has sampled: its weights have a version, and its counter moves.
  await expect(row.getByRole("cell", { name: /^v\d+$/ })).toBeVisible({ timeout: 60_000 });
  await expect(row.getByRole("cell").last()).toHaveText(/^[1-9]/, { timeout: 60_000 });
  const processes = page.getByRole("table", { name: "Processes" });
  await expect(processes.getByText(/\.engine-0$/)).toBeVisible();
  await expect(page.getByText("No GPU on this machine")).toBeVisible();
});
