import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { env } from "#env.ts";
import { type KubeSettings, kubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { openKubernetesSandboxes } from "#sandboxes/kubernetes/kubernetes-sandboxes.ts";
import type { ExecCommand, Sandbox, SandboxSpec } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";

const IMAGE = "here/busybox:1";
const log = pino({ level: "silent" });
const { signal } = new AbortController();
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const namespace = "default";
const isReady = await core
  .listNode()
  .then(({ items }) =>
    items.some(({ status }) =>
      status?.images?.some(({ names }) => names?.some((n) => n.includes(IMAGE))),
    ),
  )
  .catch(() => false);
const settings = (more: Partial<KubeSettings> = {}): KubeSettings => ({
  config,
  server: config.getCurrentCluster()?.server ?? "",
  namespace,
  policiesEnforced: true,
  pullPolicy: "Never",
  helperImage: IMAGE,
  runtimeClass: null,
  createsPerS: 20,
  storageMb: 512,
  programsPath: null,
  taskImagePrefix: null,
  ...more,
});
const spec: SandboxSpec = {
  runId: "run",
  trialId: "trial/one",
  attempt: 1,
  image: { kind: "pull", name: IMAGE },
  buildTimeoutS: 60,
  env: { GREETING: "a b", LITERAL: "$(GREETING)" },
  workdir: "/work",
  cpus: null,
  memoryMb: 128,
  network: "no-network",
  allowedHosts: null,
  programs: null,
  lifeS: 120,
};

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-pod-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it("says what to set where there is no such context", () => {
  expect(() => kubeSettings({ ...env, LIVERL_KUBE_CONTEXT: "nobody" })).toThrow(
    /LIVERL_KUBE_CONTEXT: there is no context nobody/,
  );
});

// KUBECONFIG leads to a cluster whose node has the image: e2e/reality/kubernetes starts one.
describe.skipIf(!isReady)(`a pod of ${IMAGE}`, { timeout: 60_000 }, () => {
  let sandboxes: Sandboxes;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandboxes = await openKubernetesSandboxes({ dataDir, log, settings: settings() });
  });
  afterEach(async () => {
    await sandbox.destroy();
    await sandbox.destroy();
    expect(await ours()).toEqual([]);
  });
  afterAll(() => sandboxes.close());

  const ours = async () => {
    const { items } = await core.listNamespacedPod({ namespace });
    return items.filter(({ metadata }) => metadata?.name === sandbox.name);
  };
  const exec = (script: string, more: Partial<ExecCommand> = {}) =>
    sandbox.exec({
      argv: ["sh", "-c", script],
      user: null,
      timeoutMs: 20_000,
      maxOutputBytes: 1_000,
      signal,
      ...more,
    });

  it("runs commands, within bounds", async () => {
    sandbox = await sandboxes.create(spec, signal);
    expect(
      await exec('pwd; echo "$GREETING $MORE $LITERAL" >&2; exit 3', { env: { MORE: "c'd" } }),
    ).toMatchObject({ exitCode: 3, output: "/work\na b c'd $(GREETING)\n" });
    const { output } = await exec("seq 1 10000");
    expect(output).toMatch(/^1\n2\n[\s\S]*\n\[\d+ bytes left out\]\n[\s\S]*10000\n$/);
    expect(output.length).toBeLessThan(1_100);
    expect((await exec("cat /proc/self/status | grep -E 'NoNewPrivs|CapEff'")).output).toMatch(
      /CapEff:\s+00000000000004eb\nNoNewPrivs:\s+1/,
    );
    expect((await exec("mount -t tmpfs none /mnt")).exitCode).not.toBe(0);
    expect((await exec("ls /var/run/secrets /run/secrets")).exitCode).not.toBe(0);
    expect((await exec("true", { argv: ["no-such-program"] as string[] })).exitCode).toBe(127);
    const long = await exec("", { argv: ["sh", "-c", `echo ${"x".repeat(100_000)} | wc -c`] });
    expect(long.output).toBe("100001\n");
  });

  it("runs as the user that a command asks for, where the image has it", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("mkdir -p /etc; echo 'worker:x:1000:1000::/home/worker:/bin/sh' > /etc/passwd");
    for (const user of ["worker", 1000])
      expect(await exec('id -u; echo "$HOME"', { user })).toMatchObject({
        exitCode: 0,
        output: "1000\n/home/worker\n",
      });
    expect((await exec("id -u", { user: 4242 })).output).toContain("4242");
    expect((await exec("id -u", { user: 4242 })).exitCode).not.toBe(0);
  });

  it("kills a late command with its children, and the sandbox goes on", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const { exitCode, durationMs } = await exec("sleep 1111 & sleep 2222", { timeoutMs: 500 });
    expect(exitCode).toBeNull();
    expect(durationMs).toBeLessThan(10_000);
    expect((await exec("ps | grep -c '[s]leep [12][12][12][12]'")).output).toBe("0\n");
  });

  it("ends what hid in a session of its own, also one that forks for ever, and keeps the files", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("echo kept > /work/file; setsid sleep 3333 > /dev/null 2>&1 & echo");
    await exec("f() { sleep 0.01; f & }; f > /dev/null 2>&1 & f > /dev/null 2>&1 & trap '' TERM");
    await exec("setsid sh -c 'while :; do kill -CONT -1; done' > /dev/null 2>&1 & echo");
    expect((await exec("ps | grep -c '[s]leep 3333'")).output).toBe("1\n");
    await sandbox.endProcesses();
    expect((await exec("ps | grep -cE '[s]leep (3333|0.01)|[C]ONT'; cat /work/file")).output).toBe(
      "0\nkept\n",
    );
  });

  it("refuses a first process that goes on after the agent's end", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await sandbox.endProcesses();
    expect(await sandbox.has("/work")).toBe(true);
    await exec("kill -CONT $(ps | awk '/[l]iverl\\/busybox sleep/ {print $1}')");
    await expect(sandbox.has("/work")).rejects.toMatchObject({
      exceptionType: "VerifierTamperedError",
    });
  });

  it("can neither change its tools nor look into its keeper", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const { output } = await exec(
      "rm -f /.liverl/busybox; mv /.liverl /gone; umount /.liverl; ls /.liverl; for p in $(ps | awk '/[s]leep 2000000000/ {print $1}'); do ls /proc/$p/root/ /proc/$p/fd/; done 2>&1 | grep -c denied",
    );
    expect(output).toMatch(/\nbusybox\n[12]\n$/);
  });

  it("says that memory ran out", async () => {
    sandbox = await sandboxes.create({ ...spec, memoryMb: 32 }, signal);
    expect((await exec("tail /dev/zero")).exitCode).toBe(137);
    expect(await sandbox.endProcesses()).toEqual({ ranOutOfMemory: true });
  });

  it("is sound where nothing happened, and not where memory ran out since its processes were ended", async () => {
    sandbox = await sandboxes.create({ ...spec, memoryMb: 32 }, signal);
    expect((await exec("tail /dev/zero")).exitCode).toBe(137);
    await sandbox.endProcesses();
    await exec("true");
    await expect(sandbox.checkSound()).resolves.toBeUndefined();
    expect((await exec("tail /dev/zero; exit 0")).exitCode).toBe(0);
    await expect(sandbox.checkSound()).rejects.toMatchObject({
      exceptionType: "VerifierOutOfMemoryError",
    });
  });

  it("copies files in and out, but no link", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const from = join(dataDir, "from");
    await mkdir(join(from, "deep"), { recursive: true });
    await writeFile(join(from, "deep", "run.sh"), "#!/bin/sh\necho ran\n");
    await writeFile(join(from, "large"), Buffer.alloc(20_000_000, 7));
    await sandbox.upload(from, "/put/here");
    expect((await exec("/put/here/deep/run.sh")).output).toBe("ran\n");
    await exec("cd /put/here && ln -s /etc/passwd link && ln deep/run.sh hard && echo x > plain");
    const to = join(dataDir, "to");
    const taken = await sandbox.download("/put/here", to);
    expect(taken).toMatchObject({ kind: "directory" });
    expect(taken?.leftOut).toContain("here/link");
    expect((await readdir(to)).includes("link")).toBe(false);
    expect(await readFile(join(to, "plain"), "utf8")).toBe("x\n");
    expect((await readFile(join(to, "large"))).equals(Buffer.alloc(20_000_000, 7))).toBe(true);
    expect(await sandbox.download("/nowhere", to)).toBeNull();
    expect([await sandbox.has("/put/here/link"), await sandbox.has("/nowhere")]).toEqual([
      true,
      false,
    ]);
  });

  it("speaks with a command while it runs, and knows it from another of its number", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const argv = ["sh", "-c", "echo trouble >&2; head -n 1; head -c 3000000 | wc -c; sleep 30"];
    const stream = await sandbox.stream({ argv, user: 0, signal });
    let said = "";
    stream.output.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    stream.input.write("hello\n");
    await expect.poll(() => said, { timeout: 10_000 }).toBe("hello\n");
    stream.input.write(Buffer.alloc(3_000_000, 65));
    await expect.poll(() => said, { timeout: 10_000 }).toMatch(/^hello\n\d+\n$/);
    expect(stream.errors()).toBe("trouble\n");
    expect(await stream.isRunning()).toBe(true);
    await exec("kill -9 $(ps | awk '/[s]leep 30/ {print $1}')");
    await expect.poll(() => stream.isRunning(), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => stream.output.readableEnded, { timeout: 10_000 }).toBe(true);
    stream.close();
  });

  it("has a terminal of the size that is asked for, and ends all that has it", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const terminal = await sandbox.openTerminal({ columns: 91, rows: 31 });
    let said = "";
    terminal.output.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    terminal.input.write("echo $GREETING-$((40+2)); stty size; sleep 4321 & sleep 4322 &\n");
    await expect.poll(() => said, { timeout: 10_000 }).toMatch(/a b-42\r\n31 91/);
    expect(said).not.toMatch(/^\d+\r?\n/);
    await terminal.resize({ columns: 70, rows: 20 });
    terminal.input.write("stty size\n");
    await expect.poll(() => said, { timeout: 10_000 }).toContain("20 70");
    expect((await exec("ps | grep -c '[s]leep 432'")).output).toBe("2\n");
    await terminal.close();
    expect((await exec("ps | grep -c '[s]leep 432'")).output).toBe("0\n");
    const left = await sandbox.openTerminal({ columns: 80, rows: 24 });
    left.output.resume();
    left.input.write("exit\n");
    await expect.poll(() => left.output.readableEnded, { timeout: 10_000 }).toBe(true);
    await left.close();
  });

  it.each(["node", "pod"])(
    "has an agent of the %s's, which nothing in it can change",
    async (whose) => {
      const folder = join(dataDir, `agent-${whose}`);
      await mkdir(join(folder, "agent"), { recursive: true });
      await writeFile(join(folder, "agent", "run"), "#!/bin/sh\necho works\n", { mode: 0o755 });
      await writeFile(join(folder, "large"), Buffer.alloc(30_000_000, 7));
      const programs = { digest: `test${Date.now()}${whose}`, folder, at: "/opt/liverl" };
      const programsPath = whose === "node" ? join(dataDir, "node") : null;
      const bringing = await openKubernetesSandboxes({
        dataDir: await mkdtemp(join(dataDir, "agents-")),
        log,
        settings: settings({ programsPath }),
      });
      const made = await Promise.all(
        [1, 2, 3].map((attempt) => bringing.create({ ...spec, attempt, programs }, signal)),
      );
      for (sandbox of made) {
        expect((await exec("/opt/liverl/agent/run; wc -c < /opt/liverl/large")).output).toBe(
          "works\n30000000\n",
        );
        expect((await exec("touch /opt/liverl/x || rm /opt/liverl/large")).exitCode).not.toBe(0);
        await sandbox.destroy();
      }
      if (programsPath !== null) expect(await readdir(programsPath)).toEqual([programs.digest]);
      await bringing.close();
    },
  );

  it("tells a sandbox that is gone from a command that failed", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const sleeping = exec("sleep 30");
    await core.deleteNamespacedPod({ namespace, name: sandbox.name, gracePeriodSeconds: 0 });
    await expect(sleeping).rejects.toMatchObject({ exceptionType: "SandboxLostError" });
  });

  it("is evicted where it writes more than it may", async () => {
    const small = await openKubernetesSandboxes({
      dataDir: await mkdtemp(join(dataDir, "small-")),
      log,
      settings: settings({ storageMb: 70 }),
    });
    sandbox = await small.create(spec, signal);
    const failing = exec("dd if=/dev/zero of=/work/much bs=1M count=150; sleep 50", {
      timeoutMs: 55_000,
    });
    await expect(failing).rejects.toMatchObject({ exceptionType: "SandboxStorageExceededError" });
    await sandbox.destroy();
    await small.close();
  });

  it("is removed by the next life of the runner", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const [found] = await ours();
    expect(found?.metadata?.labels).toMatchObject({
      [LABEL.run]: "run",
      [LABEL.trial]: "trial_one",
    });
    const next = await openKubernetesSandboxes({ dataDir, log, settings: settings() });
    await expect.poll(ours, { timeout: 20_000 }).toEqual([]);
    await next.close();
  });

  it("names an image that is not there", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const image = { kind: "pull", name: "here/no-such:1" } as const;
    await expect(sandboxes.create({ ...spec, image }, signal)).rejects.toMatchObject({
      exceptionType: "SandboxBuildFailedError",
      userMessage: expect.stringContaining("here/no-such:1 can not be had on the node"),
    });
  });

  it("stops waiting for a node with its caller", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const cancel = new AbortController();
    const waiting = sandboxes.create({ ...spec, cpus: 400 }, cancel.signal);
    setTimeout(() => cancel.abort(new Error("cancelled")), 1_500);
    await expect(waiting).rejects.toThrow("cancelled");
  });
});
