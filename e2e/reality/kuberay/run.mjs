// Runs as RayJobs of a real Kubernetes, launched and watched by a real control: `npm run e2e:reality -- kuberay [--only=TEXT]`.
//   KUBECONFIG  a cluster with real nodes (and KUBERAY_IMAGE, an image with a shell; busybox does), or else
//   K8S_DIR     a folder with bin/kubehere or prebuilt/kubehere.xz: ../kubernetes/cluster/start.sh starts a whole Kubernetes here (root, containerd)
// KubeRay's operator can not be had here: operator.mjs STANDS IN for it and writes the statuses that it documents. The API
// server with KubeRay's own CRD, its validation, RBAC, garbage collection, kubelet, pods and their logs are real.
// The last line of stdout is one JSON object; exit 0 only when every claim holds.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LiveRL, until } from "../../../bench/liverl.mjs";
import { specOf } from "../verl/spec.mjs";
import { Cluster } from "./cluster.mjs";
import { Gate } from "./gate.mjs";
import { Operator } from "./operator.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7) ?? null;
// No page is looked at.
const ONLY = ["--only=control,ingest-worker,runner,proxy,agent-worker,code-worker,model"];
const ENDED = ["succeeded", "stopped", "failed", "cancelled"];
const NASTY = 'it\'s $(id) `id` "q" \\ \n * ~ é $HOME';
const SECRET = "very-secret-value";
const NAMESPACE = `liverl-${Date.now().toString(36)}`;
const say = (line) => process.stderr.write(`${line}\n`);
const report = (value) =>
  process.stdout.write(`${JSON.stringify({ name: "kuberay", ...value })}\n`);
const expect = (holds, what) => {
  if (!holds) throw new Error(what);
};
const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

const scratch = mkdtempSync(join(tmpdir(), "lrl-kube-"));
let cluster;
try {
  cluster = Cluster.start(join(scratch, "k"));
} catch (error) {
  say(`SKIPPED: no real Kubernetes was run. ${error.message}`);
  report({ ok: false, skipped: error.message });
  process.exit(0);
}
process.once("exit", () => {
  cluster.remove();
  rmSync(scratch, { recursive: true, force: true });
});
say("KubeRay's operator is STOOD IN for (operator.mjs): no Ray runs. Kubernetes is real.");

const built = spawnSync(process.execPath, ["scripts/build.mjs", ...ONLY], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const model = join(scratch, "model");
spawnSync(process.execPath, ["dist/model.mjs", "--out", model], { cwd: root });

await cluster.core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
await cluster.core.createNamespacedConfigMap({
  namespace: NAMESPACE,
  body: { metadata: { name: "stand-in" }, data: { python: read(join(here, "verl_stand_in.sh")) } },
});
/** The Role of docs/verl.md: nothing more is needed. */
const RULES = JSON.parse(JSON.stringify(roleOfDocs()));
function roleOfDocs() {
  const [, yaml] = /```yaml\n(kind: Role\n[\s\S]*?)```/.exec(read(join(root, "docs/verl.md")));
  const rules = [...yaml.matchAll(/apiGroups: \[(.*)\], resources: \[(.*)\], verbs: \[(.*)\]/g)];
  const words = (text) => text.split(",").map((word) => word.trim().replaceAll('"', ""));
  return rules.map(([, apiGroups, resources, verbs]) => ({
    ...{ apiGroups: words(apiGroups), resources: words(resources), verbs: words(verbs) },
  }));
}
const token = await cluster.account("liverl", NAMESPACE, RULES);
const gate = await new Gate(cluster.server, cluster.ca).start();
const kubeconfig = kubeconfigOf("liverl", token);
function kubeconfigOf(name, userToken) {
  const path = join(scratch, `${name}.kubeconfig`);
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster: { server: gate.url, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: { token: userToken } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const operator = new Operator(cluster, NAMESPACE);
const liverl = await LiveRL.create();
await liverl.start();

function specFor(name, { steps = 4, env = {}, overrides = {}, target = {} } = {}) {
  const spec = specOf("sync", { directory: scratch, name, steps, spyDir: scratch });
  return {
    ...spec,
    driver: "kuberay",
    target: {
      ...{ kubeconfig, context: null, namespace: NAMESPACE, image: "example.org/verl:0.9.1" },
      ...{ ray_version: "2.58.0", python: "/opt/stand-in/python", volumes: [] },
      ...{ head_cpu: 1, head_memory_gb: 1, worker_cpu: 2, worker_memory_gb: 4 },
      ...{ pre_running_deadline_s: 600, ...target },
      ...{ runner_url: "http://10.88.0.1:1", proxy_url: "http://10.88.0.1:2" },
    },
    model: { ...spec.model, path: model },
    overrides,
    env: { STAND_IN_TOKEN: SECRET, ...env },
  };
}
const launch = (name, parts) => liverl.launch(specFor(name, parts));
const get = (id) => liverl.query("run.get", { id });
const folder = (id) => join(liverl.dataDir, "runs", id);
const consoleOf = (id) => read(join(folder(id), "logs/verl-1.log"));
const eventsOf = async (id) => JSON.stringify(await liverl.query("run.events", { id }));
const bootOf = async (id) => JSON.stringify(await get(id));
const ended = (id, timeoutMs = 120_000) =>
  until(
    async () => {
      const run = await get(id);
      return ENDED.includes(run.status) ? run : null;
    },
    { what: `the end of ${id}`, timeoutMs },
  );
const underWay = (id) =>
  until(async () => consoleOf(id).includes("step:2 - ") || ENDED.includes((await get(id)).status), {
    what: `step 2 of ${id}`,
    timeoutMs: 60_000,
  }).then(async () => {
    const { status, statusReason } = await get(id);
    expect(!ENDED.includes(status), statusReason);
  });
const jobOf = (id) =>
  until(() => operator.find(id), { what: `the RayJob of ${id}`, timeoutMs: 30_000 });

/** What control has of the log is what the pod printed, byte by byte. */
async function expectWholeLog(id) {
  const { metadata } = await operator.find(id);
  const theirs = await operator.log(metadata.name);
  const ours = consoleOf(id);
  expect(theirs.length > 50_000, `the pod has only ${theirs.length} characters`);
  expect(
    ours === theirs,
    `the log differs: ${ours.length} characters here, ${theirs.length} there`,
  );
  return theirs.length;
}

/** What of a launch is in the namespace: its RayJob, Job, pods, Secrets and ConfigMaps. */
async function leftOf(name) {
  const labelSelector = `liverl.dev/launch=${name}`;
  const [jobs, pods, secrets, maps] = await Promise.all([
    operator.list(),
    operator.pods(name),
    cluster.core.listNamespacedSecret({ namespace: NAMESPACE, labelSelector }),
    cluster.core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector }),
  ]);
  return {
    rayJobs: jobs.filter(({ metadata }) => metadata.name === name).length,
    ...{ pods: pods.length, secrets: secrets.items.length, configMaps: maps.items.length },
  };
}

const claims = [];
async function claim(name, prove) {
  if (only !== null && !name.includes(only)) return;
  const began = performance.now();
  const entry = { name, ok: true };
  try {
    Object.assign(entry, await prove());
  } catch (error) {
    Object.assign(entry, { ok: false, why: error.message.slice(0, 1500) });
  }
  entry.seconds = Math.round((performance.now() - began) / 100) / 10;
  claims.push(entry);
  say(`${entry.ok ? "✓" : "✗"} ${JSON.stringify(entry)}`);
}
const preflight = async (spec) => {
  const { preflight: items, faults } = await liverl.mutate("launch.plan", { spec });
  expect(faults.length === 0, JSON.stringify(faults));
  return Object.fromEntries(items.map((item) => [item.id, item]));
};

if (cluster.isOwn)
  await claim("a cluster without KubeRay is told from a missing RayJob", async () => {
    const items = await preflight(specFor("bare"));
    expect(items.kuberay?.status === "fail", JSON.stringify(items.kuberay));
    const run = await ended((await launch("bare")).id);
    expect(/KubeRay is not installed/.test(run.statusReason), run.statusReason);
    return { reason: run.statusReason };
  });
await cluster.installCrd();
await until(
  async () => {
    const { resources } = await cluster.custom.getAPIResources({ group: "ray.io", version: "v1" });
    return resources.some(({ name }) => name === "rayjobs") && (await operator.list());
  },
  { what: "the CRD", timeoutMs: 30_000 },
);
// Its discovery is not at once the same to all.
await sleep(2_000);
operator.start();

await claim(
  "the preflight of a well cluster passes, with no more than the Role of the docs",
  async () => {
    const items = await preflight(specFor("well"));
    for (const id of ["kube-server", "kuberay", "kube-access", "image"])
      expect(items[id]?.status === "pass", JSON.stringify(items[id]));
    // The Role lets nobody look at namespaces.
    expect(items["kube-namespace"].status === "warn", JSON.stringify(items["kube-namespace"]));
    return {};
  },
);

await claim(
  "a RayJob is as it should be, runs, and its arguments, secrets and log arrive as they are",
  async () => {
    const { id } = await launch("whole", { overrides: { "+nasty": NASTY } });
    const { metadata, spec } = await jobOf(id);
    expect(
      metadata.name.length <= 47 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name),
      metadata.name,
    );
    expect(
      metadata.labels["app.kubernetes.io/managed-by"] === "liverl" &&
        metadata.labels["liverl.dev/run"] === id,
      "labels",
    );
    expect(
      spec.submissionMode === "K8sJobMode" &&
        spec.shutdownAfterJobFinishes &&
        spec.backoffLimit === 0,
      "modes",
    );
    expect(spec.preRunningDeadlineSeconds === 600, "the deadline");
    const [workers] = spec.rayClusterSpec.workerGroupSpecs;
    expect(
      workers.replicas === 1 &&
        workers.template.spec.containers[0].resources.limits["nvidia.com/gpu"] === "1",
      "GPUs",
    );
    expect(!JSON.stringify(spec).includes(SECRET), "a secret stands in the RayJob");
    const run = await ended(id);
    expect(run.status === "succeeded" && run.step === 4, `${run.status}: ${run.statusReason}`);
    const bytes = await expectWholeLog(id);
    const console = consoleOf(id);
    const quoted = NASTY.replace(/(\\*)"/g, '$1$1\\"');
    expect(
      console.includes(` <+nasty="${quoted}">`),
      `the override came as ${console.slice(0, 400)}`,
    );
    expect(
      console.startsWith("argv <-m> <liverl_verl.begin> <--module> <verl.trainer.main_ppo> <--> "),
      console.slice(0, 80),
    );
    const look = /^look (.*)$/m.exec(console)[1];
    const files = readdirSync(join(root, "packages/verl-adapter/src/liverl_verl"));
    const sources = files.filter((name) => name.endsWith(".py")).length;
    expect(
      look.startsWith(`adapter=${sources} loops=1 tokens=`) &&
        / tokens=[1-9]\d* secret=very-secret-value shm=1$/.test(look),
      look,
    );
    expect(
      /lines that verl prints/.test(await eventsOf(id)),
      "the event does not say where metrics come from",
    );
    const left = await leftOf(metadata.name);
    expect(left.rayJobs === 1 && left.secrets === 0 && left.configMaps === 0, JSON.stringify(left));
    return { bytes, rayJob: metadata.name };
  },
);

await claim(
  "the server's strict validation finds no field that KubeRay's CRD has not, and refuses a wrong one",
  async () => {
    operator.manual.add("strict");
    const { id } = await launch("strict");
    const job = await jobOf(id);
    const send = (spec) =>
      cluster.custom.createNamespacedCustomObject({
        ...{ group: "ray.io", version: "v1", plural: "rayjobs", namespace: NAMESPACE },
        ...{ dryRun: "All", fieldValidation: "Strict" },
        body: { apiVersion: "ray.io/v1", kind: "RayJob", metadata: { name: "dry" }, spec },
      });
    await send(job.spec);
    const refusals = [];
    for (const wrong of [
      { ...job.spec, submisionMode: "HTTPMode" },
      { ...job.spec, preRunningDeadlineSeconds: 0 },
    ])
      refusals.push(
        await send(wrong).then(
          () => "taken",
          ({ code }) => code,
        ),
      );
    await liverl.mutate("run.stop", { id, when: "now" });
    const run = await ended(id);
    expect(run.status === "cancelled", `${run.status}: ${run.statusReason}`);
    expect(refusals.join() === "400,422", refusals.join());
    return { refusals };
  },
);

await claim("SUCCEEDED with fewer steps than planned is no success", async () => {
  const run = await ended((await launch("short", { env: { STAND_IN_STEPS: "2" } })).id);
  expect(
    run.status === "failed" && /after 2 of 4 steps/.test(run.statusReason),
    `${run.status}: ${run.statusReason}`,
  );
  return { reason: run.statusReason };
});

await claim("a job that fails says with which code and why", async () => {
  const { id } = await launch("fails", { env: { STAND_IN_EXIT: "3", STAND_IN_STEPS: "2" } });
  const run = await ended(id);
  expect(run.status === "failed" && /code 3 /.test(run.statusReason), run.statusReason);
  return { reason: run.statusReason, bytes: await expectWholeLog(id) };
});

await claim(
  "every status of the way is told; a RayJob that KubeRay refuses ends with its words",
  async () => {
    operator.manual.add("walk");
    const { id } = await launch("walk");
    const { metadata } = await jobOf(id);
    const told = [];
    const walk = [
      [{}, /is its operator running/],
      [{ jobDeploymentStatus: "Initializing" }, /its Ray cluster starts/],
      [{ jobDeploymentStatus: "Suspended" }, /suspended/],
      [{ jobDeploymentStatus: "Retrying" }, /tries again/],
      [{ jobDeploymentStatus: "Running", jobStatus: "PENDING" }, /being submitted/],
    ];
    for (const [status, words] of walk) {
      const began = performance.now();
      if (status.jobDeploymentStatus) await operator.status(metadata.name, status);
      await until(async () => words.test(await bootOf(id)), {
        what: String(words),
        timeoutMs: 15_000,
      });
      told.push(Math.round(performance.now() - began));
    }
    const message =
      "The RayJob spec is invalid: TTLSecondsAfterFinished must be a non-negative integer";
    await operator.status(metadata.name, {
      ...{
        jobDeploymentStatus: "ValidationFailed",
        reason: "ValidationFailed",
        jobStatus: "",
        message,
      },
    });
    const run = await ended(id);
    expect(run.status === "failed" && run.statusReason.includes(message), run.statusReason);
    return { toldWithinMs: told, reason: run.statusReason };
  },
);

await claim("a pod whose image is not there is what the run waits for", async () => {
  const image = operator.image;
  operator.image = "here/nowhere:1";
  operator.manual.add("image");
  const { id } = await launch("image");
  const job = await jobOf(id);
  await operator.status(job.metadata.name, { jobDeploymentStatus: "Initializing" });
  operator.submit(job).catch(() => undefined);
  await until(async () => /(ErrImage|ImagePull)/.test(await bootOf(id)), {
    what: "the reason",
    timeoutMs: 60_000,
  });
  const [, detail] =
    /"detail":"((?:[^"\\]|\\.)*(?:ErrImage|ImagePull)(?:[^"\\]|\\.)*)"/.exec(await bootOf(id)) ??
    [];
  operator.image = image;
  await liverl.mutate("run.stop", { id, when: "now" });
  await ended(id);
  return { detail };
});

await claim("a kill deletes the RayJob with its pods and secrets before the run ends", async () => {
  const { id } = await launch("kill", { steps: 500 });
  await underWay(id);
  const { metadata } = await jobOf(id);
  await liverl.mutate("run.stop", { id, when: "now" });
  const run = await ended(id);
  const left = await leftOf(metadata.name);
  expect(run.status === "cancelled", `${run.status}: ${run.statusReason}`);
  expect(
    Object.values(left).every((count) => count === 0),
    JSON.stringify(left),
  );
  return { reason: run.statusReason, left };
});

await claim("a stop after the step waits for the step and then deletes", async () => {
  const { id } = await launch("after", { steps: 500, env: { STAND_IN_STEP_S: "1" } });
  await underWay(id);
  const { metadata } = await jobOf(id);
  await liverl.mutate("run.stop", { id, when: "after-step" });
  const run = await ended(id);
  expect(
    run.status === "stopped" && /stopped after step \d/.test(run.statusReason),
    run.statusReason,
  );
  expect((await leftOf(metadata.name)).rayJobs === 0, "the RayJob is still there");
  return { reason: run.statusReason };
});

await claim("somebody who deletes the RayJob ends the run with that reason", async () => {
  const { id } = await launch("gone", { steps: 500 });
  await underWay(id);
  const { metadata } = await jobOf(id);
  await cluster.custom.deleteNamespacedCustomObject({
    ...{
      group: "ray.io",
      version: "v1",
      plural: "rayjobs",
      namespace: NAMESPACE,
      name: metadata.name,
    },
  });
  const run = await ended(id);
  expect(run.status === "failed" && /somebody deleted it/.test(run.statusReason), run.statusReason);
  return { reason: run.statusReason };
});

await claim(
  "control killed with -9 finds the same RayJob again, and the log has each byte once",
  async () => {
    const { id } = await launch("adopt", { steps: 40, env: { STAND_IN_STEP_S: "0.5" } });
    await underWay(id);
    for (let times = 0; times < 2; times++) {
      liverl.control.kill("SIGKILL");
      await liverl.exited;
      await liverl.start();
      await sleep(2_000);
    }
    const run = await ended(id);
    expect(run.status === "succeeded" && run.step === 40, `${run.status}: ${run.statusReason}`);
    const ours = (await operator.list()).filter(
      (job) => job.metadata.annotations["liverl.dev/run"] === id,
    );
    expect(ours.length === 1, `${ours.length} RayJobs were made`);
    return { bytes: await expectWholeLog(id) };
  },
);

await claim("connections cut again and again lose and repeat no byte of the log", async () => {
  const { id } = await launch("cut", { steps: 60, env: { STAND_IN_STEP_S: "0.2" } });
  await underWay(id);
  let cuts = 0;
  while (!ENDED.includes((await get(id)).status) && cuts < 40) {
    gate.cut();
    cuts += 1;
    await sleep(700);
  }
  const run = await ended(id);
  expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  return { cuts, bytes: await expectWholeLog(id) };
});

await claim("an API server that is away tells nothing of the job, which goes on", async () => {
  const { id } = await launch("away", { steps: 60, env: { STAND_IN_STEP_S: "0.5" } });
  await underWay(id);
  gate.down();
  await until(async () => /Nothing is known of the job/.test(await eventsOf(id)), {
    what: "the event",
    timeoutMs: 60_000,
  });
  await sleep(5_000);
  const during = await get(id);
  expect(!ENDED.includes(during.status), `the run was ${during.status} while nobody knew`);
  gate.up();
  const run = await ended(id);
  expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  expect(/Kubernetes answers again/.test(await eventsOf(id)), "nothing tells that it is back");
  return { bytes: await expectWholeLog(id) };
});

if (cluster.isOwn)
  await claim("an API server killed with -9 and started again is survived", async () => {
    const { id } = await launch("apiserver", { steps: 60, env: { STAND_IN_STEP_S: "0.5" } });
    await underWay(id);
    cluster.killApiServer();
    await until(async () => /Nothing is known of the job/.test(await eventsOf(id)), {
      what: "the event",
      timeoutMs: 60_000,
    });
    const during = await get(id);
    expect(!ENDED.includes(during.status), `the run was ${during.status}`);
    cluster.bringUp();
    const run = await ended(id, 240_000);
    expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
    return { bytes: await expectWholeLog(id) };
  });
else say("SKIPPED: the API server of a cluster that is not ours is not killed.");

await claim("a watch whose version has expired (410 Gone) is begun anew", async () => {
  gate.stale = 2;
  gate.expired = 0;
  const { id } = await launch("expired", { steps: 20 });
  const run = await ended(id);
  expect(gate.expired > 0, "the server said no 410");
  expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  return { expired: gate.expired };
});

await claim("429 with Retry-After is waited out", async () => {
  const before = gate.seen.length;
  gate.busy = 6;
  const run = await ended((await launch("busy")).id);
  expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  const refused = gate.seen.slice(before).filter((line) => line.startsWith("429")).length;
  expect(refused === 6, `${refused} were refused`);
  return { refused };
});

await claim("what RBAC denies is named, before the launch and at it", async () => {
  const denied = RULES.map((rule) =>
    rule.resources.includes("secrets") ? { ...rule, verbs: ["delete"] } : rule,
  );
  const path = kubeconfigOf("denied", await cluster.account("denied", NAMESPACE, denied));
  const target = { kubeconfig: path };
  const items = await preflight(specFor("denied", { target }));
  expect(items["kube-access"].status === "fail", JSON.stringify(items["kube-access"]));
  const run = await ended((await launch("denied", { target })).id);
  expect(
    /may not create (secrets|configmaps) in the namespace/.test(run.statusReason),
    run.statusReason,
  );
  const found = await operator.find(run.id);
  expect(found === null, "a RayJob was made");
  return { preflight: items["kube-access"].why, reason: run.statusReason };
});

await claim(
  "a wrong context, a wrong token and a server that is not there are told apart",
  async () => {
    const whys = {};
    const context = await preflight(specFor("context", { target: { context: "nobody" } }));
    whys.context = context["kube-server"].why;
    const tokenless = kubeconfigOf("stranger", "not-a-token");
    whys.token = (await preflight(specFor("stranger", { target: { kubeconfig: tokenless } })))[
      "kube-server"
    ].why;
    const elsewhere = join(scratch, "elsewhere.kubeconfig");
    writeFileSync(elsewhere, read(kubeconfig).replace(gate.url, "http://127.0.0.1:1"));
    whys.server = (await preflight(specFor("elsewhere", { target: { kubeconfig: elsewhere } })))[
      "kube-server"
    ].why;
    expect(/There is no context nobody/.test(whys.context), whys.context);
    expect(/does not know these credentials/.test(whys.token), whys.token);
    expect(/does not answer at/.test(whys.server), whys.server);
    return whys;
  },
);

await claim("two launches run side by side, each with its own RayJob and log", async () => {
  const runs = await Promise.all(["one", "two"].map((name) => launch(name, { steps: 10 })));
  const ends = await Promise.all(runs.map(({ id }) => ended(id)));
  for (const run of ends) expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  return { bytes: await Promise.all(runs.map(({ id }) => expectWholeLog(id))) };
});

await operator.stop();
await liverl.stop();
liverl.remove();
gate.stop();
await cluster.core.deleteNamespace({ name: NAMESPACE });
report({ ok: claims.every(({ ok }) => ok), claims });
process.exit(claims.every(({ ok }) => ok) ? 0 : 1);
