// Points to a metrics server as fast as it takes them. The bodies are made before the clock starts: what is measured is the server.
import { Agent, request } from "node:http";
import { quantile } from "./liverl.mjs";

const KEYS = 20;

function post(agent, url, headers, body) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(
      url,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let said = "";
        response.setEncoding("utf8");
        response.on("data", (text) => {
          said += text;
        });
        response.on("end", () =>
          response.statusCode === 200
            ? resolve({ ms: performance.now() - began, body: JSON.parse(said) })
            : reject(new Error(`${url}: ${response.statusCode} ${said.slice(0, 300)}`)),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Value of a point: every one is another, with as many digits as a real metric has. */
export const metricAt = (key, step) => Math.sin(step * 31 + key) + step / 1e6;

/** Sends prepared bodies, `width` at a time; `batchOf` points each. */
async function send(url, headers, bodies, pointsOf, width) {
  const agent = new Agent({ keepAlive: true, maxSockets: width });
  const times = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < bodies.length) times.push((await post(agent, url, headers, bodies[next++])).ms);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return {
    points: bodies.length * pointsOf,
    seconds: Number(seconds.toFixed(2)),
    pointsPerSecond: Math.round((bodies.length * pointsOf) / seconds),
    batchPoints: pointsOf,
    clients: width,
    p50: Number(quantile(times, 0.5).toFixed(1)),
    p99: Number(quantile(times, 0.99).toFixed(1)),
  };
}

/** MLflow's log-batch, full ones: 1000 metrics, 20 keys. One run a client, as the clients of MLflow log. */
export async function loadMlflow(url, headers, { name, batches, width }) {
  const agent = new Agent({ keepAlive: true });
  const ask = async (path, body) =>
    (await post(agent, `${url}/api/2.0/mlflow/${path}`, headers, JSON.stringify(body))).body;
  const { experiment_id: experiment } = await ask("experiments/create", { name });
  const runs = [];
  for (let i = 0; i < width; i++) {
    const { run } = await ask("runs/create", { experiment_id: experiment, run_name: name });
    runs.push(run.info.run_id);
  }
  agent.destroy();
  const bodies = Array.from({ length: batches }, (_, n) => {
    const first = Math.floor(n / width) * 50;
    const metrics = Array.from({ length: 1000 }, (_, i) => {
      const step = first + Math.floor(i / KEYS);
      const value = metricAt(i % KEYS, step);
      return { key: `metric/${i % KEYS}`, value, timestamp: 1_700_000_000_000 + step, step };
    });
    return JSON.stringify({ run_id: runs[n % width], metrics });
  });
  const sent = await send(`${url}/api/2.0/mlflow/runs/log-batch`, headers, bodies, 1000, width);
  return { ...sent, runs };
}

/** Our own route: rows of 20 keys, or whole series. */
export function loadRows(url, headers, { project, run, batches, rows, width }) {
  const bodies = Array.from({ length: batches }, (_, n) =>
    JSON.stringify({
      ...{ project, run: `${run}-${n % width}`, batch: String(n) },
      rows: Array.from({ length: rows }, (_, i) => {
        const step = Math.floor(n / width) * rows + i;
        const values = Array.from({ length: KEYS }, (_, key) => [
          `metric/${key}`,
          metricAt(key, step),
        ]);
        return { step, time: 1_700_000_000 + step, values: Object.fromEntries(values) };
      }),
    }),
  );
  return send(`${url}/api/v1/metrics`, headers, bodies, rows * KEYS, width);
}

/** One long series, `count` points a request from step `from` on. */
export function loadSeries(url, headers, { project, run, from, requests, count }) {
  const bodies = Array.from({ length: requests }, (_, n) => {
    const step = Array.from({ length: count }, (_, i) => from + n * count + i);
    const value = step.map((at) => metricAt(0, at));
    const time = step.map((at) => 1_700_000_000 + at);
    return JSON.stringify({ project, run, series: [{ key: "long", step, value, time }] });
  });
  return send(`${url}/api/v1/metrics`, headers, bodies, count, 1);
}
