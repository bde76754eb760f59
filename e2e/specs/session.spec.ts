import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { APIRequestContext, Page } from "@playwright/test";
import { expect, type LiveRL, test } from "#fixtures/liverl.ts";

test.describe.configure({ mode: "serial" });

/** A machine that is shared boots a run in minutes. */
const LONG = { timeout: 600_000 };
const RUN = "talk-01";
const HOSTILE = "</pre><img src=x onerror=document.title='owned'>";

interface Opened {
  sessionId: string;
  baseUrl: string;
  apiKey: string;
}
let session: Opened;
let call: (messages: object[]) => Promise<{ role: string; content: string | null }>;

/** As an agent's program does it: while the data plane comes up it is told to try again (503). */
async function openSession(liverl: LiveRL): Promise<Opened> {
  const token = (await readFile(join(liverl.dataDir, "operator.token"), "utf8")).trim();
  const ask = () =>
    fetch(`${liverl.url}/api/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ runId: RUN, taskId: "e2e/fork" }),
    });
  let answer = await ask();
  // 404 until the booting run is known to the runner, 503 until its engine serves.
  for (let tries = 0; [404, 503].includes(answer.status) && tries < 60; tries++) {
    await setTimeout(500);
    answer = await ask();
  }
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

async function chat(request: APIRequestContext, messages: object[]) {
  const answer = await request.post(`${session.baseUrl}/chat/completions`, {
    headers: { authorization: `Bearer ${session.apiKey}` },
    data: { model: "any", max_tokens: 8, messages },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()).choices[0].message;
}

const openPage = (page: Page, liverl: LiveRL) =>
  page.goto(`${liverl.url}/p/quickstart/sessions/${session.sessionId}`);

test("a session of an outside agent is in the list, and empty until it asks", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  const form = page.getByRole("form", { name: "Launch form" });
  await form.getByLabel("Name", { exact: true }).fill("talk");
  await form.getByLabel("Steps", { exact: true }).fill("400");
  await form.getByLabel("Evaluate every").fill("400");
  await form.getByLabel("Evaluation tasks").fill("8");
  await page.getByRole("button", { name: /^Launch/ }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${RUN}`));
  await expect(page.getByRole("button", { name: "Stop after step" })).toBeEnabled(LONG);
  session = await openSession(liverl);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByTitle("Sessions of outside agents")
    .click();
  await page.getByRole("row", { name: new RegExp(session.sessionId) }).click();
  await expect(page.getByText("No call yet")).toBeVisible();
});

test("an edited turn is a fork: its reason, its tokens and its words are shown while it is live", async ({
  signedIn: page,
  liverl,
}) => {
  call = (messages) => chat(page.request, messages);
  await openPage(page, liverl);
  const first = [
    { role: "system", content: "You repair code." },
    { role: "user", content: `Fix it ${HOSTILE}` },
  ];
  const answer = await call(first);
  const calls = page.getByRole("table", { name: "Calls" });
  // The page was open before: it renews itself.
  await expect(calls.getByRole("row")).toHaveCount(2);
  await expect(page.getByText("No fork")).toBeVisible();
  await call([...first, answer, { role: "user", content: "Go on" }]);
  await call([
    ...first,
    { role: "assistant", content: "I never said this" },
    { role: "user", content: "Go on" },
  ]);
  await expect(calls.getByRole("row")).toHaveCount(4);
  const fork = page.getByRole("region", { name: "Fork 1" });
  await expect(fork.getByText(/gave an earlier answer back in other words/)).toBeVisible();
  const diff = page.getByRole("region", { name: "Token diff at the fork" });
  await expect(diff.getByText("assistant-edited")).toBeVisible();
  await expect(diff.getByRole("group", { name: "Stored path" })).toBeVisible();
  await expect(
    diff.getByRole("region", { name: "This call, messages" }).getByText("I never said this"),
  ).toBeVisible();
  await expect(page.getByRole("table", { name: "Segments" }).getByRole("row")).toHaveCount(3);
});

test("a call's request is shown as it was sent, and what it holds does nothing", async ({
  signedIn: page,
  liverl,
}) => {
  await openPage(page, liverl);
  await page.getByRole("button", { name: "Open call 2" }).click();
  await expect(page).toHaveURL(/call=2/);
  const request = page.getByRole("region", { name: "Request text" });
  await expect(request.getByText("I never said this")).toBeVisible();
  await expect(request.getByText(HOSTILE)).toBeVisible();
  await expect(page.getByRole("region", { name: "Response text" })).toContainText("assistant");
  expect(await page.title()).not.toBe("owned");
  await page.keyboard.press("k");
  await expect(page.getByRole("region", { name: "Call 1", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Call 1", exact: true })).toBeHidden();
});

test("a rollout has the same tree in a tab of its own", async ({ signedIn: page, liverl }) => {
  await page.goto(`${liverl.url}/p/quickstart/runs/${RUN}/rollouts`);
  await page.getByRole("table", { name: "Rollouts" }).getByRole("row").nth(1).click(LONG);
  await page.getByRole("tab", { name: /^Tree/ }).click();
  await expect(page.getByRole("region", { name: "Paths" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Calls" }).getByRole("row").nth(1)).toBeVisible();
  await page.goto(`${liverl.url}/p/quickstart/runs/${RUN}`);
  await page.getByRole("button", { name: "Stop after step" }).click();
  await expect(page.getByText("Stopped").first()).toBeVisible(LONG);
});
