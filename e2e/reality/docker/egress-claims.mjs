// `network_mode = "allowlist"`: what a sandbox reads from hosts, listed and not, by the content that they serve.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { makeTask } from "./make-tasks.mjs";
import {
  bridgeAddress,
  demand,
  flagsOf,
  noneLeft,
  readText,
  rolloutOf,
  tell,
} from "./rollouts.mjs";

/** By way of the proxy that the environment names, around it, and by the names of a resolver. */
const lookFrom = (addresses, port) => `import os, socket, urllib.request
def say(what, ask):
    try:
        print(what, ask())
    except Exception as error:
        print(what, "refused", getattr(error, "code", ""), str(getattr(error, "reason", error))[:80])
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for host in ${JSON.stringify(addresses)}:
    url = "http://%s:${port}/" % host
    say("proxy " + host, lambda: urllib.request.urlopen(url, timeout=5).read().decode())
    say("direct " + host, lambda: direct.open(url, timeout=5).read().decode())
def connect(host, port):
    way = socket.create_connection(("127.0.0.1", int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1])), 5)
    way.sendall(("CONNECT %s:%d HTTP/1.1\\r\\n\\r\\n" % (host, port)).encode())
    answer = way.recv(1000).decode()
    if " 200 " not in answer: return "refused " + answer.split("\\r\\n")[0]
    way.sendall(b"GET /connected HTTP/1.0\\r\\n\\r\\n")
    return way.makefile().read()
for host in ${JSON.stringify(addresses)}:
    say("connect " + host, lambda: connect(host, ${port}))
say("name", lambda: socket.gethostbyname("example.org"))
say("interfaces", lambda: sorted(name for _, name in socket.if_nameindex()))
`;

/** The agent and its tests, after every process was ended in between, look at two addresses of one server; one is listed. */
export async function keepsToItsHosts(world) {
  const { directory, registerRun, runner } = world;
  const secret = randomBytes(16).toString("hex");
  const server = createServer((_, response) => response.end(secret)).listen(0, "0.0.0.0");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address();
    const all = Object.values(networkInterfaces()).flat();
    const outer = all.filter((one) => one.family === "IPv4" && !one.internal);
    // A bridge that no container is on is not listed.
    const own = [...new Set([...outer.map(({ address }) => address), bridgeAddress()])];
    demand(
      own.length >= 2,
      `this host has ${own.length} addresses, two are needed: Docker's bridge has one`,
    );
    const [listed, ...others] = own;
    const script = lookFrom([listed, ...others, "127.0.0.1"], port);
    const look = (to) =>
      `cat > /tmp/look.py <<'PY'\n${script}PY\npython3 /tmp/look.py > ${to} 2>&1`;
    const folder = makeTask(join(directory, "tasks"), "allowlist-kept", {
      config: `[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["${listed}"]\n`,
      solve: look("/logs/agent/seen.txt"),
      test: `${look("/logs/verifier/seen.txt")}\necho 1 > /logs/verifier/reward.txt`,
    });
    const runId = await registerRun("oracle");
    const result = await runner.rollout(rolloutOf(runId, folder, 0));
    demand(result.reward === 1, `allowlist: ${tell(result)}`);
    const seen = { agent: "agent/seen.txt", verifier: "verifier/seen.txt" };
    for (const [who, path] of Object.entries(seen))
      judge(who, readText(runner, runId, result, path), { listed, others, secret });
    const flags = flagsOf(world, result);
    demand(
      flags.some(
        ({ kind, evidence }) => kind === "network-used" && evidence.join().includes(listed),
      ),
      `where it led is not told: ${JSON.stringify(flags)}`,
    );
    await noneLeft(world);
    return { listed: 1, unlisted: others.length + 1, flagged: "network-used" };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function judge(who, text, { listed, others, secret }) {
  const lines = text.split("\n");
  const of = (words) => lines.filter((line) => line.startsWith(`${words} `)).join("\n");
  for (const way of ["proxy", "connect"])
    demand(
      text.includes(`${way} ${listed}`) && lineOf(text, way, listed).includes(secret),
      `${who} does not reach the listed host (${way}): ${text}`,
    );
  demand(!of(`direct ${listed}`).includes(secret), `${who} goes around the proxy: ${text}`);
  for (const host of [...others, "127.0.0.1"])
    for (const way of ["proxy", "direct", "connect"])
      demand(!lineOf(text, way, host).includes(secret), `${who} reads ${host} (${way}): ${text}`);
  demand(of("name").includes("refused"), `${who} has a resolver: ${of("name")}`);
  demand(of("interfaces").includes("['lo']"), `${who} has an interface: ${of("interfaces")}`);
}

/** What was said of one way to one host, which may have several lines. */
function lineOf(text, way, host) {
  const from = text.indexOf(`${way} ${host} `);
  demand(from >= 0, `nothing is said of ${way} ${host}: ${text}`);
  const rest = text.slice(from);
  const end = rest.slice(1).search(/^(?:proxy|direct|connect|name|interfaces) /m);
  return end < 0 ? rest : rest.slice(0, end + 1);
}
