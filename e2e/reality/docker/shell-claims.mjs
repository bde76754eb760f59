// Shells of operators in real containers: in Chromium as a person opens one, and over bare WebSockets as a stranger would.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../bench/liverl.mjs";
import { BareShell, openAtRunner, shellUrl } from "./bare-shell.mjs";
import { makeTask } from "./make-tasks.mjs";
import { demand, noneLeft, rolloutOf } from "./rollouts.mjs";
import { inBrowser, lookAt, PICTURES, PROJECT, register } from "./watch.mjs";

const RESULT_MS = 300_000;
/** What may be on its way to a page that takes nothing, and one message over it. */
const MOST_UNTAKEN_BYTES = (256 + 64) * 1024;
const ANSWER = "42";

/** Trials whose agent works until there is /app/done. */
const waitingTask = (directory, name) =>
  makeTask(join(directory, "tasks"), name, {
    isRepository: true,
    solve: "i=0; while [ ! -e /app/done ]; do i=$((i+1)); echo tick $i; sleep 1; done; echo left",
    test: "echo 1 > /logs/verifier/reward.txt",
    // No daemon has this image: its build can be watched.
    after: `RUN sleep 6 # ${Date.now()}\n`,
  });

export async function operatorOpensShell({ directory, runOf }) {
  const task = waitingTask(directory, "shelled");
  return await inBrowser(directory, "shell", async ({ liverl, page, id, runner }) => {
    await register(runner, id, runOf("oracle"));
    const request = rolloutOf(id, task, 0);
    const finished = runner.rollout(request);
    const trial = async () =>
      (await runner.ask("GET", "/api/v1/sandboxes")).content.trials.find(
        ({ rolloutId }) => rolloutId === request.rolloutId,
      );
    await page.goto(`${liverl.url}/p/${PROJECT}/sandboxes?q=shelled`);
    const images = page.getByRole("list", { name: "Images on their way" });
    await images.getByText(/step \d of \d/).waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "building"));
    await until(async () => (await trial())?.state === "running", {
      what: "the agent",
      timeoutMs: RESULT_MS,
    });
    await images.waitFor({ state: "detached" });
    const row = page.getByRole("list", { name: "Sandboxes" }).getByRole("listitem");
    await row.getByText("Running").waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "sandboxes"));
    await row.getByRole("link", { name: "Terminal of shelled" }).click();
    await page.locator(".xterm-rows", { hasText: /tick \d+/ }).waitFor();
    const trialUrl = page.url().split("?")[0];
    await page.getByRole("button", { name: "Shell", exact: true }).click();
    await page.getByRole("button", { name: "Open a shell" }).click();
    await page.getByText(/A shell in liverl-/).waitFor();
    await page.keyboard.type("cd /app; ls lib.py; echo typed-$((40+2))\n");
    await page.locator(".xterm-rows", { hasText: `typed-${ANSWER}` }).waitFor();
    await page.keyboard.type("clear; stty size; whoami; tty\n");
    await page.locator(".xterm-rows", { hasText: "/dev/pts/" }).waitFor();
    if (PICTURES) await lookAt(page, join(PICTURES, "shell"));
    const hostile = await refusesOthers({ liverl, page, request, trial });
    // The agent ends: what is open ends with it.
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("touch /app/done\n");
    await page.getByText(/The agent has ended|being removed|The shell has ended/).waitFor();
    const { reward, flags } = await finished;
    demand(reward === 1, `the reward is ${reward}`);
    const flag = flags.find(({ kind }) => kind === "operator-shell");
    demand(flag?.evidence.length >= 2, `the flags are ${JSON.stringify(flags)}`);
    await page.goto(`${trialUrl}?tab=verifier`);
    await page.getByText("Shell of an operator").waitFor();
    await page.goto(`${liverl.url}/p/${PROJECT}/runs/${id}/events`);
    await page
      .getByText(/A shell was opened in the sandbox/)
      .first()
      .waitFor();
    await page.goto(`${trialUrl}?tab=terminal&term=shell`);
    await page.getByText("The sandbox is gone").waitFor();
    const late = new BareShell(shellUrl(liverl.url, request.rolloutId), await operator(liverl));
    demand(/no sandbox now/.test((await late.settled()).ending), `late: ${late.ending}`);
    return { shells: flag.evidence.length, ...hostile };
  });
}

const operator = (liverl) => ({
  authorization: `Bearer ${readFileSync(join(liverl.dataDir, "operator.token"), "utf8").trim()}`,
});

/** Who has no session, who comes from elsewhere, who asks for too many or prints without end. */
async function refusesOthers({ liverl, page, request, trial }) {
  const url = shellUrl(liverl.url, request.rolloutId);
  const [{ value: secret }] = (await page.context().cookies()).filter(
    ({ name }) => name === "liverl",
  );
  const cookie = `liverl=${secret}`;
  const ingest = readFileSync(join(liverl.dataDir, "ingest.token"), "utf8").trim();
  const statusOf = async (headers) => (await new BareShell(url, headers).settled()).status;
  const refused = {
    stranger: await statusOf({}),
    wrongCookie: await statusOf({ cookie: "liverl=0000", origin: liverl.url }),
    otherOrigin: await statusOf({ cookie, origin: "http://evil.example" }),
    noOrigin: await statusOf({ cookie }),
    ingestToken: await statusOf({ authorization: `Bearer ${ingest}` }),
  };
  demand(
    JSON.stringify(Object.values(refused)) === "[401,401,403,403,403]",
    `refused: ${JSON.stringify(refused)}`,
  );
  const runnerUrl = `http://127.0.0.1:${readFileSync(join(liverl.dataDir, "runner/port"), "utf8").trim()}`;
  const direct = await new BareShell(shellUrl(runnerUrl, request.rolloutId, "&actor=x")).settled();
  demand(direct.status === 401, `the runner lets a stranger in: ${direct.status}`);
  const unknown = await new BareShell(
    shellUrl(liverl.url, "nobody-1"),
    await operator(liverl),
  ).settled();
  demand(unknown.status === 404, `an unknown rollout: ${unknown.status}`);

  const second = await new BareShell(url, await operator(liverl)).settled();
  await second.run(`echo second-$((40+2))`, `second-${ANSWER}`);
  const flood = await new BareShell(url, await operator(liverl), { takes: false }).settled();
  flood.socket.send(Buffer.from("yes\n"), { binary: true });
  await until(() => flood.bytes > 200_000, { what: "a flood", timeoutMs: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  demand(flood.bytes <= MOST_UNTAKEN_BYTES, `${flood.bytes} bytes came to who takes none`);
  await second.run("echo beside-$((40+2))", `beside-${ANSWER}`);
  const fourth = await new BareShell(url, await operator(liverl)).settled();
  demand((await trial()).shells === 4, `${(await trial()).shells} shells are open`);
  const fifth = await new BareShell(url, await operator(liverl)).settled();
  demand(/close one first/.test(fifth.ending), `a fifth shell: ${fifth.ending}`);
  await second.run("ps -e 2>/dev/null | grep -c yes || grep -l '^yes' /proc/*/comm | wc -l", "1");
  // What a page leaves behind: its shell, and all that has its terminal.
  flood.socket.terminate();
  fourth.socket.terminate();
  await until(async () => (await trial()).shells === 2, { what: "two shells", timeoutMs: 30_000 });
  await second.run(
    "grep -l '^yes' /proc/[0-9]*/comm > /tmp/yes; echo left-$(wc -l < /tmp/yes)-",
    "left-0-",
  );
  second.socket.close();
  return { refused, untakenBytes: flood.bytes };
}

/** `kill -9` of the runner while a shell prints: its container and the shell with it are gone after the next start. */
export async function survivesKillWithShell(world) {
  const { runner, registerRun, directory, containersOf } = world;
  const task = waitingTask(directory, "killed-shell");
  const runId = await registerRun("oracle");
  const request = rolloutOf(runId, task, 0);
  const finished = runner.rollout(request);
  await until(
    async () =>
      (await runner.ask("GET", "/api/v1/sandboxes")).content.trials?.[0]?.state === "running",
    { what: "the agent", timeoutMs: RESULT_MS },
  );
  const open = () => openAtRunner(runner, request.rolloutId);
  const shell = await open();
  await shell.run("echo in-$((40+2)); sleep 987654 & yes > /dev/null &", `in-${ANSWER}`);
  const [before] = await containersOf(runner.instance());
  await runner.kill();
  await until(() => shell.isClosed, { what: "the shell's end", timeoutMs: 30_000 });
  await runner.start();
  await until(
    async () => (await containersOf(runner.instance())).every(({ Id }) => Id !== before.Id),
    { what: "the removal of the killed runner's container", timeoutMs: 120_000 },
  );
  // The trial starts over in another sandbox, in which a shell opens as before.
  const registered = await runner.register(runId, world.runOf("oracle"));
  demand(registered.status === 200, "the run was refused after the restart");
  await until(
    async () =>
      (await runner.ask("GET", "/api/v1/sandboxes")).content.trials?.[0]?.state === "running",
    { what: "the agent of the second life", timeoutMs: RESULT_MS },
  );
  const again = await open();
  await again.run("touch /app/done; echo done-$((40+2))", `done-${ANSWER}`);
  const { reward, flags } = await finished;
  demand(reward === 1, `the reward is ${reward}`);
  demand(
    flags.some(({ kind }) => kind === "operator-shell"),
    "the trial of the second life has no mark",
  );
  await noneLeft(world);
  return { reward };
}
