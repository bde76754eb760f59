// The proxy against a real vLLM on this machine's CPU: `npm run e2e:reality -- vllm [--only=TEXT]`;
// TEXT is part of a claim's name.
//   VLLM_DIR    where setup.sh puts vLLM and a tiny model (2.9 GB; default .liverl/reality/vllm)
//   VLLM_URL    a vLLM that runs already (tiny model, float32, --enable-scale-out, development mode); then none is
//               started, and what needs a second one is left out
//   VLLM_MODEL  the model folder of VLLM_URL (default VLLM_DIR/model)
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { disconnect, loop, pauseAndResume, replicaDeath } from "./claims.mjs";
import { DIALECTS } from "./dialects.mjs";
import { LlmProxy } from "./proxy.mjs";
import { Recording } from "./recording.mjs";
import { MAX_MODEL_LEN, setUp, Vllm } from "./vllm.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const directory = resolve(process.env.VLLM_DIR ?? join(root, ".liverl/reality/vllm"));
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7) ?? null;
const say = (line) => process.stderr.write(`${line}\n`);

function report(value) {
  process.stdout.write(`${JSON.stringify({ name: "vllm", ...value })}\n`);
}

function skip(reason) {
  say(`SKIPPED: no real vLLM was run. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

/** With development endpoints and scale-out; and, as plain as `vllm serve` starts it, a second one. */
async function startEngines() {
  if (process.env.VLLM_URL) return [{ url: process.env.VLLM_URL }];
  say(`Setting vLLM up in ${directory} (minutes, the first time)`);
  mkdirSync(directory, { recursive: true });
  const failed = setUp(directory);
  if (failed) skip(failed);
  const engines = await Promise.all([
    Vllm.start(directory, {}, join(directory, "full.log")),
    Vllm.start(directory, { DEV: "0", SCALE_OUT: "0" }, join(directory, "plain.log")),
  ]);
  await Promise.all(engines.map((engine) => engine.ready()));
  return engines;
}

const built = spawnSync(process.execPath, ["scripts/build.mjs", "--only=proxy,relay-worker"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const [full, plain] = await startEngines();
const proxy = await LlmProxy.start();
const recording = await Recording.before(full.url);
const other = plain ? await Recording.before(plain.url) : null;
const pool = (...engines) => ({
  engines: engines.map(({ url }) => ({ url })),
  engineKeyPath: null,
  modelDir: process.env.VLLM_MODEL ?? join(directory, "model"),
  modelName: "tiny",
  maxModelLen: MAX_MODEL_LEN,
});
await proxy.admin("PUT", "pools/full", pool(recording));
if (other) {
  await proxy.admin("PUT", "pools/plain", pool(other));
  await proxy.admin("PUT", "pools/both", pool(other, recording));
}
await proxy.admin("PUT", "pools/relay", { ...pool(), relay: true });

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

const at = { proxy, recording, url: full.url, scorer: full.url };
for (const { name } of DIALECTS) {
  await claim(`20 turns, ${name}`, () => loop({ ...at, dialect: name, poolId: "full" }));
  if (other)
    await claim(`20 turns, ${name}, /v1/completions`, () =>
      loop({ ...at, dialect: name, poolId: "plain", recording: other }),
    );
}
const worker = proxy.startWorker("relay", recording.url);
await claim("20 turns, openai-chat, through a worker that dialled in", () =>
  loop({ ...at, dialect: "openai-chat", poolId: "relay" }),
);
await claim("disconnect ends the request, through a worker that dialled in", () =>
  disconnect({ ...at, poolId: "relay" }),
);
worker.kill();
await claim("disconnect ends the request", () => disconnect({ ...at, poolId: "full" }));
if (other)
  await claim("disconnect ends the request, /v1/completions", () =>
    disconnect({ proxy, poolId: "plain", recording: other, url: plain.url }),
  );
for (const [i, mode] of ["abort", "keep"].entries())
  await claim(`pause ${mode} and resume in a turn`, () =>
    pauseAndResume({ ...at, poolId: "full", mode, version: 10 * (i + 1) }),
  );
if (other)
  await claim("a replica that dies is failed over", () =>
    replicaDeath({
      ...{ proxy, poolId: "both", recordings: [recording, other], doomed: other },
      kill: () => plain.kill(),
    }),
  );
else say("SKIPPED: death of a replica and /v1/completions need a second vLLM: leave VLLM_URL out.");

await proxy.stop();
await Promise.all([recording, other].map((open) => open?.close()));
for (const engine of [full, plain]) engine?.kill?.("SIGTERM");
await Promise.all([full, plain].map((engine) => engine?.ended));
report({ ok: claims.every(({ ok }) => ok), claims });
process.exit(claims.every(({ ok }) => ok) ? 0 : 1);
