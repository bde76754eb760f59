import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hideAnswers } from "#integrity/hide-answers.ts";
import { openDockerSandboxes } from "#sandboxes/docker/docker-sandboxes.ts";
import type { ExecCommand, Sandbox, SandboxSpec } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";

const IMAGE = "here/busybox:1";
const docker = new Docker();
const isReady = await docker
  .getImage(IMAGE)
  .inspect()
  .then(
    () => true,
    () => false,
  );
const log = pino({ level: "silent" });
const { signal } = new AbortController();
const spec: SandboxSpec = {
  runId: "run",
  trialId: "trial",
  attempt: 1,
  image: { kind: "pull", name: IMAGE },
  buildTimeoutS: 60,
  env: { GREETING: "a b" },
  workdir: "/work",
  cpus: null,
  memoryMb: 128,
  network: "no-network",
  allowedHosts: null,
  programs: null,
  lifeS: 60,
};

/** Of this host in its own network: reached by public sandboxes only because it is named. */
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(
    ({ family, internal, address }) => family === "IPv4" && !internal && !/^172\./.test(address),
  )?.address;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-sandbox-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it("names the daemon that does not answer, and what to do", async () => {
  const away = new Docker({ socketPath: join(dataDir, "no.sock") });
  const sandboxes = await openDockerSandboxes({ dataDir, log, docker: away, awayMs: 600 });
  await expect(sandboxes.create(spec, signal)).rejects.toMatchObject({
    exceptionType: "SandboxUnavailableError",
    userMessage: expect.stringContaining("set DOCKER_HOST"),
  });
  await sandboxes.close();
});

// `e2e/reality/docker/make-base-image.sh busybox` makes the image.
describe.skipIf(!isReady)(`a container of ${IMAGE}`, () => {
  let sandboxes: Sandboxes;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandboxes = await openDockerSandboxes({
      ...{ dataDir, log, docker, helperImage: IMAGE },
      reach: { resolvers: ["1.1.1.1"], allowed: own === undefined ? [] : [own] },
    });
  });
  afterEach(async () => {
    await sandbox.destroy();
    await sandbox.destroy();
    expect(await ours()).toEqual([]);
  });
  afterAll(() => sandboxes.close());

  const ours = async () => {
    const all = await docker.listContainers({ all: true });
    return all.filter(({ Names }) => Names.some((name) => name.startsWith(`/${sandbox.name}`)));
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
      await exec('pwd; echo "$GREETING $MORE" >&2; exit 3', { env: { MORE: "c" } }),
    ).toMatchObject({ exitCode: 3, output: "/work\na b c\n" });
    const { output } = await exec("seq 1 10000");
    expect(output).toMatch(/^1\n2\n[\s\S]*\n\[\d+ bytes left out\]\n[\s\S]*10000\n$/);
    expect(output.length).toBeLessThan(1_100);
    expect(await exec("id -u", { user: 1000 })).toMatchObject({ output: "1000\n" });
    expect((await exec("cat /proc/self/status | grep -E 'NoNewPrivs|CapEff'")).output).toMatch(
      /CapEff:\s+00000000000004eb\nNoNewPrivs:\s+1/,
    );
    expect((await exec("mount -t tmpfs none /mnt")).exitCode).not.toBe(0);
  });

  it("kills a late command with its children, and the sandbox goes on", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const { exitCode, durationMs } = await exec("sleep 1111 & sleep 2222", { timeoutMs: 500 });
    expect(exitCode).toBeNull();
    expect(durationMs).toBeLessThan(10_000);
    expect((await exec("ps | grep -c '[s]leep [12][12][12][12]'")).output).toBe("0\n");
  });

  it("ends what hid in a session of its own, and keeps the files", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("echo kept > /work/file; setsid sleep 3333 > /dev/null 2>&1 & echo");
    expect((await exec("ps | grep -c '[s]leep 3333'")).output).toBe("1\n");
    await sandbox.endProcesses();
    expect((await exec("ps | grep -c '[s]leep 3333'; cat /work/file")).output).toBe("0\nkept\n");
  });

  it("says that memory ran out", async () => {
    sandbox = await sandboxes.create({ ...spec, memoryMb: 32 }, signal);
    expect((await exec("tail /dev/zero")).exitCode).toBe(137);
    expect(await sandbox.endProcesses()).toEqual({ ranOutOfMemory: true });
  });

  it("copies files in and out, but no link", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const from = join(dataDir, "from");
    await mkdir(join(from, "deep"), { recursive: true });
    await writeFile(join(from, "deep", "run.sh"), "#!/bin/sh\necho ran\n");
    await sandbox.upload(from, "/put/here");
    expect((await exec("/put/here/deep/run.sh")).output).toBe("ran\n");
    await exec("cd /put/here && ln -s /etc/passwd link && ln deep/run.sh hard && echo x > plain");
    const to = join(dataDir, "to");
    const taken = await sandbox.download("/put/here", to);
    expect(taken).toMatchObject({ kind: "directory" });
    expect(taken?.leftOut).toContain("here/link");
    expect((await readdir(to)).includes("link")).toBe(false);
    expect(await readFile(join(to, "plain"), "utf8")).toBe("x\n");
    expect(await sandbox.download("/nowhere", to)).toBeNull();
    expect([await sandbox.has("/put/here/link"), await sandbox.has("/nowhere")]).toEqual([
      true,
      false,
    ]);
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

  it("tells a sandbox that is gone from a command that failed", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await docker.getContainer(sandbox.name).remove({ force: true });
    await expect(exec("true")).rejects.toMatchObject({ exceptionType: "SandboxLostError" });
  });

  it("does not start again what something else has ended, and tells one that was started again", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("true");
    await docker.getContainer(sandbox.name).kill();
    const lost = { exceptionType: "SandboxLostError" };
    await expect(sandbox.endProcesses()).rejects.toMatchObject(lost);
    await docker.getContainer(sandbox.name).start();
    await expect(sandbox.checkSound()).rejects.toMatchObject(lost);
  });

  it("tells a command that ended by itself from one that was ended with its sandbox", async () => {
    sandbox = await sandboxes.create(spec, signal);
    expect(await exec("kill -9 $$")).toMatchObject({ exitCode: 137 });
    const late = exec("sleep 20");
    await exec("sleep 0.5");
    await docker.getContainer(sandbox.name).kill();
    await expect(late).rejects.toMatchObject({ exceptionType: "SandboxLostError" });
  });

  it("is ended by what runs in it, told from outside by what Docker says, and comes up again with its files", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("echo kept > /work/file");
    const own = { exceptionType: "SandboxEndedError" };
    await expect(exec("kill -9 -1; sleep 20", { user: 0 })).rejects.toMatchObject(own);
    expect(await sandbox.endProcesses()).toMatchObject({ end: own });
    expect(await exec("cat /work/file")).toMatchObject({ exitCode: 0, output: "kept\n" });
    await docker.getContainer(sandbox.name).stop({ t: 0 });
    await expect(exec("true")).rejects.toMatchObject({ exceptionType: "SandboxLostError" });
  });

  it("says so where it can not come up again", async () => {
    sandbox = await sandboxes.create(spec, signal);
    await exec("rm -f /bin/sleep /bin/busybox", { user: 0 });
    await sandbox.endProcesses().catch(() => undefined);
    await expect(exec("true")).rejects.toMatchObject({ exceptionType: "SandboxEndedError" });
  });

  it("takes what agents fill its folders with, within bounds", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const hole = "dd if=/dev/zero of=/logs/agent/big bs=1M count=0 seek=1048576";
    await exec(`${hole}; echo x > /work/file`, { user: 0 });
    const to = join(dataDir, "agent");
    const taken = await sandbox.download("/logs/agent", to);
    expect(taken).toMatchObject({ files: 0, leftOut: ["agent/big and all that comes after it"] });
    expect(await sandbox.changes()).toContainEqual({ path: "/work/file", change: "added" });
    expect(await exec("true")).toMatchObject({ exitCode: 0 });
  });

  it("is sound where nothing happened, and not where memory ran out since its processes were ended", async () => {
    sandbox = await sandboxes.create({ ...spec, memoryMb: 32 }, signal);
    expect((await exec("tail /dev/zero")).exitCode).toBe(137);
    await sandbox.endProcesses();
    await exec("true");
    await expect(sandbox.checkSound()).resolves.toBeUndefined();
    await sandbox.destroy();
    sandbox = await sandboxes.create({ ...spec, memoryMb: 32 }, signal);
    await sandbox.endProcesses();
    expect((await exec("tail /dev/zero; exit 0")).exitCode).toBe(0);
    await expect(sandbox.checkSound()).rejects.toMatchObject({
      exceptionType: "VerifierOutOfMemoryError",
    });
  });

  it("is not sound where its network was taken away, were it for a moment", async () => {
    sandbox = await sandboxes.create({ ...spec, network: "public" }, signal);
    await sandbox.endProcesses();
    const network = docker.getNetwork("liverl-public");
    await network.disconnect({ Container: sandbox.name, Force: true });
    // Its barred routes may be in the way of a second connection.
    await network.connect({ Container: sandbox.name }).catch(() => undefined);
    await expect(sandbox.checkSound()).rejects.toMatchObject({
      exceptionType: "SandboxNetworkLostError",
    });
  });

  it("is removed by the next life of the runner, also when it was only made", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const [found] = await ours();
    expect(found?.Labels).toMatchObject({ [LABEL.run]: "run", [LABEL.trial]: "trial" });
    const next = await openDockerSandboxes({ dataDir, log, docker });
    await expect.poll(ours, { timeout: 20_000 }).toEqual([]);
    await next.close();
  });

  it("has no network unless its task has one", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const interfaces = "ls /sys/class/net";
    expect((await exec(interfaces)).output).not.toContain("eth0");
    await sandbox.destroy();
    sandbox = await sandboxes.create({ ...spec, network: "public" }, signal);
    expect((await exec(interfaces)).output).toContain("eth0");
    const own = (await exec("hostname -i")).output.trim();
    await exec("echo found > /work/index.html && httpd -p 8000 -h /work");
    const other = await sandboxes.create({ ...spec, network: "public" }, signal);
    const fetched = await other.exec({
      argv: ["wget", "-q", "-T", "3", "-O", "-", `http://${own}:8000/index.html`],
      user: null,
      timeoutMs: 10_000,
      maxOutputBytes: 1_000,
      signal,
    });
    await other.destroy();
    expect((await exec(`wget -q -O - http://${own}:8000/index.html`)).output).toBe("found\n");
    expect(fetched.output).not.toContain("found");
  });

  it.runIf(own)("tells what it was connected to, from where nothing in it can reach", async () => {
    sandbox = await sandboxes.create(spec, signal);
    expect([await sandbox.watchNetwork(), await sandbox.networkUse()]).toEqual([false, null]);
    const server = createServer((socket) => socket.end("x".repeat(100_000))).listen(0, "0.0.0.0");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await sandbox.destroy();
    sandbox = await sandboxes.create({ ...spec, network: "public" }, signal);
    const host = own ?? "";
    expect(await sandbox.watchNetwork()).toBe(true);
    const idle = await sandbox.networkUse();
    expect(idle).toMatchObject({ peers: [], neighbours: [] });
    expect(idle?.bytes?.received).toBeLessThan(8_000);
    // The other side ends it; who looks is no process that this one could end.
    const script = `nc ${host} ${port} < /dev/null | wc -c; ps | grep -c '[s]een='`;
    expect((await exec(script, { user: 0 })).output).toBe("100000\n0\n");
    const use = await sandbox.networkUse();
    server.close();
    expect(use?.bytes?.received).toBeGreaterThan(100_000);
    expect(use?.neighbours).toHaveLength(1);
    expect(use?.peers.every((peer) => peer === `${host}:${port} (tcp)`)).toBe(true);
    expect((await docker.listContainers()).map(({ Names }) => Names[0])).toContain(
      `/${sandbox.name}-watch`,
    );
  });

  it("reaches no private address, the gateway's and a cloud's metadata among them, also after its processes were ended", async () => {
    const server = createServer((socket) => socket.end("reached")).listen(0, "0.0.0.0");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    sandbox = await sandboxes.create({ ...spec, network: "public" }, signal);
    const gateway = (await exec("ip route | awk '/^default/ {print $3}'")).output.trim();
    expect(gateway).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    for (const round of ["at the start", "after a restart"]) {
      for (const address of [
        gateway,
        "172.17.0.1",
        "169.254.169.254",
        "10.1.2.3",
        "192.168.77.1",
        "100.64.0.1",
      ]) {
        const { output } = await exec(`nc -w 2 ${address} ${port} < /dev/null 2>&1; true`);
        expect(output, `${address} ${round}`).toMatch(/unreachable|No route/i);
      }
      const undone = await exec("ip route del unreachable 169.254.0.0/16 2>&1", { user: 0 });
      expect(undone.output).toMatch(/not permitted/);
      if (own) expect((await exec(`nc -w 5 ${own} ${port} < /dev/null`)).output).toBe("reached");
      await sandbox.endProcesses();
    }
    server.close();
  });

  it("says where there is no git to hide the future with, and removes answers all the same", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const made = "mkdir -p /tests /work/.git/objects /work/.git/refs && echo x > /work/.git/HEAD";
    await exec(`${made} && ln -s nowhere /logs/verifier/reward.txt`, { user: 0 });
    expect(await hideAnswers(sandbox, { keepsHistory: false, signal })).toEqual({
      removed: ["/tests", "/logs/verifier/reward.txt"],
      repositories: [
        {
          path: "/work/.git",
          refs: [],
          remotes: [],
          objects: 0,
          fault: "the image has no git",
        },
      ],
      fault: null,
    });
    expect(await sandbox.has("/tests")).toBe(false);
  });

  it("names an image that can not be had", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const image = { kind: "pull", name: "localhost:9/no/such:1" } as const;
    await expect(sandboxes.create({ ...spec, image }, signal)).rejects.toMatchObject({
      exceptionType: "SandboxBuildFailedError",
      userMessage: expect.stringContaining(
        "localhost:9/no/such:1 is not here and can not be pulled",
      ),
    });
  });

  it("stops waiting for a build that is late", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const folder = join(dataDir, "slow");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "Dockerfile"), `FROM ${IMAGE}\nRUN sleep 30\n`);
    const image = { kind: "build", folder } as const;
    await expect(
      sandboxes.create({ ...spec, image, buildTimeoutS: 1 }, signal),
    ).rejects.toMatchObject({ exceptionType: "EnvironmentStartTimeoutError" });
  });

  it("fails to build with the end of the build's output", async () => {
    sandbox = await sandboxes.create(spec, signal);
    const folder = join(dataDir, "environment");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "Dockerfile"), `FROM ${IMAGE}\nRUN echo because; exit 7\n`);
    await expect(
      sandboxes.create({ ...spec, image: { kind: "build", folder } }, signal),
    ).rejects.toMatchObject({
      exceptionType: "SandboxBuildFailedError",
      userMessage: expect.stringMatching(/because[\s\S]*The whole output: /),
    });
  });
});
