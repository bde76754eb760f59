import type { Page } from "@playwright/test";
import { type Answer, attempt, type Listener, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

/** Signs the page's browser in and waits until the dashboard has asked for its data. */
async function signIn(page: Page, liverl: LiveRL): Promise<void> {
  const asked = page.waitForResponse((answer) => answer.url().includes("/trpc/") && answer.ok());
  await page.goto(await liverl.link());
  await asked;
  // The link's page goes on to a project by itself.
  await page.waitForURL(({ pathname }) => pathname.startsWith("/p/"));
}

/** Statuses of all answers that LiveRL gave while a page of the attacker was open, without its own page. */
async function statusesAt(page: Page, liverl: LiveRL, url: string): Promise<number[]> {
  const statuses: number[] = [];
  page.on("response", (answer) => {
    if (answer.url().startsWith(liverl.url)) statuses.push(answer.status());
  });
  await page.goto(url);
  await expect(page.locator("#done")).toBeAttached();
  return statuses;
}

/** The cookie of a signed-in browser, as the server of another port gets it. */
async function stolenCookie(page: Page, listener: Listener): Promise<string> {
  await page.goto(listener.serve("/steal", "<p>Hello</p>"));
  const cookie = listener.received.find(({ url }) => url === "/steal")?.headers.cookie ?? "";
  expect(cookie).toContain("liverl=");
  return cookie;
}

const asPage = (origin: string, pageUrl: string) => `
  <img src="${origin}/trpc/system.get">
  <img src="${origin}/api/v1/run/list">
  <iframe src="${origin}/api/v1/run/list"></iframe>
  <iframe src="${origin}/"></iframe>
  <link rel="stylesheet" href="${origin}/api/v1/openapi.json">
  <script src="${origin}/trpc/run.list"></script>
  <form method="post" action="${origin}/trpc/launch.plan" target="inner"><input name="spec" value="{}"></form>
  <form method="get" action="${origin}/trpc/run.list" target="inner"></form>
  <iframe name="inner"></iframe>
  <script>
    const done = () => document.body.insertAdjacentHTML("beforeend", "<p id=done>done</p>");
    for (const form of document.forms) form.submit();
    const tries = [
      fetch("${origin}/trpc/run.list", { mode: "no-cors", credentials: "include" }),
      fetch("${origin}/trpc/launch.plan", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" }),
      fetch("${origin}/api/v1/run/live", { mode: "no-cors", credentials: "include" }),
      new Promise((resolve) => {
        const events = new EventSource("${origin}/api/v1/run/live", { withCredentials: true });
        events.onopen = () => { window.opened = true; resolve(); };
        events.onerror = () => { events.close(); resolve(); };
      }),
      new Promise((resolve) => {
        const socket = new WebSocket("${origin.replace("http", "ws")}/trpc");
        socket.onopen = () => { window.opened = true; resolve(); };
        socket.onclose = resolve;
      }),
    ];
    Promise.allSettled(tries).then(() => setTimeout(done, 500));
  </script>
  <!-- ${pageUrl} -->`;

test("a page on another port of this host gets nothing with the browser's cookie", async ({
  page,
  liverl,
  listener,
}) => {
  await signIn(page, liverl);
  const attack = listener.serve("/attack", asPage(liverl.url, listener.url));
  const attacker = await page.context().newPage();
  const statuses = await statusesAt(attacker, liverl, attack);
  expect(statuses.length).toBeGreaterThan(4);
  for (const status of statuses) expect([401, 403]).toContain(status);
  expect(await attacker.evaluate(() => "opened" in window)).toBe(false);
});

test("the cookie that another port's server receives opens no data", async ({
  page,
  liverl,
  listener,
}) => {
  await signIn(page, liverl);
  const cookie = await stolenCookie(page, listener);
  const headers = { cookie, origin: liverl.url, "sec-fetch-site": "same-origin" };
  const tries: Answer[] = [];
  for (const path of ["/trpc/run.list", "/api/v1/run/list", "/api/v1/openapi.json"])
    tries.push(await attempt(liverl, path, { headers }));
  for (const path of ["/trpc/launch.plan", "/api/v1/login-links", "/api/v1/token/create"])
    tries.push(await attempt(liverl, path, { headers, body: {} }));
  tries.push(
    await attempt(liverl, "/api/v1/run/list", {
      headers: { ...headers, "x-liverl-page": "guess" },
    }),
    await attempt(
      liverl,
      `/api/v1/run/list?liverl-ticket=${Date.now() + 30_000}.${"a".repeat(43)}`,
      {
        headers,
      },
    ),
  );
  for (const { status, text } of tries) expect(status, text).toBe(401);
});

test("a link from another port opens the page, and the page works", async ({
  page,
  liverl,
  listener,
}) => {
  await signIn(page, liverl);
  await page.goto(listener.serve("/link", `<a href="${liverl.url}/p/quickstart/runs">Runs</a>`));
  const asked = page.waitForResponse((answer) => answer.url().includes("/trpc/"));
  await page.getByRole("link", { name: "Runs" }).click();
  expect((await asked).status()).toBe(200);
  await expect(page.getByRole("link", { name: "Launch" }).first()).toBeVisible();
});

test("a browser that signs out is signed out, its open pages too", async ({ page, liverl }) => {
  await signIn(page, liverl);
  const cookies = await page.context().cookies();
  const key = await page.evaluate(() => localStorage.getItem("liverl-page-key") ?? "");
  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
    "x-liverl-page": key,
  };
  expect((await attempt(liverl, "/api/v1/run/list", { headers })).status).toBe(200);
  const second = await page.context().newPage();
  const closed = new Promise<void>((resolve) =>
    second.on("websocket", (socket) => socket.on("close", () => resolve())),
  );
  await second.goto(`${liverl.url}/p/quickstart/settings`);
  await expect(second.getByRole("list", { name: "Signed-in browsers" })).toContainText("this one");
  await page.goto(`${liverl.url}/p/quickstart/settings`);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Not signed in" })).toBeVisible();
  expect((await attempt(liverl, "/api/v1/run/list", { headers })).status).toBe(401);
  await closed;
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await expect(page.getByRole("heading", { name: "Not signed in" })).toBeVisible();
});

test("an admin lists browsers and signs them out; others may not", async ({ page, liverl }) => {
  await signIn(page, liverl);
  const token = await tokenOf(liverl, "admin");
  const operate = await tokenOf(liverl, "operate");
  const list = await attempt(liverl, "/api/v1/browser/list", { token });
  const { browsers } = JSON.parse(list.text) as { browsers: { id: string; userAgent: string }[] };
  expect(browsers[0]?.userAgent).toContain("Chrome");
  expect((await attempt(liverl, "/api/v1/browser/list", { token: operate })).status).toBe(403);
  const body = { id: browsers[0]?.id };
  expect((await attempt(liverl, "/api/v1/browser/revoke", { token: operate, body })).status).toBe(
    403,
  );
  expect((await attempt(liverl, "/api/v1/browser/revoke", { token, body })).status).toBe(200);
  // The open page notices by itself, and a new one is not let in.
  await expect(page.getByRole("heading", { name: "Not signed in" })).toBeVisible();
  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await expect(page.getByRole("heading", { name: "Not signed in" })).toBeVisible();
  expect((await attempt(liverl, "/api/v1/browser/revoke-all", { token, body: {} })).status).toBe(
    200,
  );
});

test("a download of a signed-in page needs no header, and its link opens nothing else", async ({
  page,
  liverl,
}) => {
  await signIn(page, liverl);
  const token = await tokenOf(liverl, "admin");
  const rows = [{ step: 1, values: { "a/b": 1 } }];
  const logged = await attempt(liverl, "/api/v1/metrics", {
    token,
    body: { project: "attack", run: "kept", rows, status: "succeeded" },
  });
  const { runId } = JSON.parse(logged.text) as { runId: string };
  await page.goto(`${liverl.url}/p/attack/runs/${runId}`);
  await page.getByRole("button", { name: "More actions" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Download archive" }).click();
  const download = await coming;
  expect(await download.failure()).toBeNull();
  expect(download.suggestedFilename()).toContain(".tar.gz");
  // The link of one download opens no other, nor is it of use to a browser without the cookie.
  const link = new URL(download.url());
  const elsewhere = link.href
    .replace("archive.tar.gz", "checkpoints/1.tar")
    .replace(liverl.url, "");
  expect((await page.request.get(liverl.url + elsewhere)).status()).toBe(401);
  expect((await attempt(liverl, link.href.replace(liverl.url, ""))).status).toBe(401);
  const late = link.href.replace(/liverl-ticket=\d+/, `liverl-ticket=${Date.now() + 3_600_000}`);
  expect((await page.request.get(late)).status()).toBe(401);
});

test("the launch form of a signed-in operator plans", async ({ page, liverl }) => {
  await signIn(page, liverl);
  await page.goto(`${liverl.url}/p/quickstart/launch?preset=quickstart`);
  await expect(page.getByText("Programs are built")).toBeVisible();
});
