// A daemon that is reached over TLS with certificates of both sides, and over SSH. In front of the daemon stands what would be there on
// another host: a TLS server, and a stand-in for sshd (the server of `ssh2`) that knows one key and one command.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import ssh2 from "ssh2";
import { demand, rolloutOf, tell } from "./rollouts.mjs";
import { Runner } from "./runner.mjs";

const socketPath = () => new URL(process.env.DOCKER_HOST).pathname;
const openssl = (cwd, ...args) => execFileSync("openssl", args, { cwd, stdio: "ignore" });

/** An authority, and a certificate of each side below it. */
function makeCertificates(directory) {
  mkdirSync(directory, { recursive: true });
  const subject = (name) => ["-subj", `/CN=${name}`];
  openssl(
    directory,
    ..."req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca-key.pem -out ca.pem".split(" "),
    ...subject("ca"),
  );
  writeFileSync(join(directory, "names"), "subjectAltName=DNS:localhost,IP:127.0.0.1");
  for (const [name, cert, key] of [
    ["localhost", "server.pem", "server-key.pem"],
    ["liverl", "cert.pem", "key.pem"],
  ]) {
    openssl(
      directory,
      ..."req -newkey rsa:2048 -nodes -out asked.pem -keyout".split(" "),
      key,
      ...subject(name),
    );
    openssl(
      directory,
      ..."x509 -req -days 2 -in asked.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial -extfile names -out".split(
        " ",
      ),
      cert,
    );
  }
  return directory;
}

function pipeToDaemon(stream) {
  const daemon = createConnection(socketPath());
  stream.pipe(daemon).pipe(stream);
  stream.on("error", () => daemon.destroy());
  daemon.on("error", () => stream.destroy());
}

async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

/** Trials of a runner that knows the daemon by this environment alone. */
async function trials(world, name, env, agents = ["oracle", "nop"]) {
  const runner = new Runner(join(world.directory, name), env);
  await runner.start();
  try {
    const results = [];
    for (const agent of agents) {
      const runId = `${name}-${agent}`;
      const { status, content } = await runner.register(runId, world.runOf(agent));
      demand(status === 200, JSON.stringify(content));
      results.push(await runner.rollout(rolloutOf(runId, world.tasks[0].folder, 0)));
    }
    const left = await world.containersOf(runner.instance());
    return { results, left: left.length };
  } finally {
    await runner.stop();
  }
}

function demandRewards({ results: [oracle, nop], left }) {
  demand(oracle.reward === 1, `oracle: ${tell(oracle)}`);
  demand(nop.reward === 0, `nop: ${tell(nop)}`);
  demand(left === 0, `${left} containers are left`);
}

function demandRefused({ results }, words) {
  for (const result of results) {
    const isTold = result.error?.exception_type === "SandboxError";
    demand(isTold && result.reward === null, `it was not refused: ${tell(result)}`);
    demand(words.test(result.error.exception_message), `unhelpful: ${tell(result)}`);
  }
}

export async function overTls(world) {
  const certs = makeCertificates(join(world.directory, "certs"));
  const read = (name) => readFileSync(join(certs, name));
  const server = createTlsServer(
    {
      ...{ ca: read("ca.pem"), cert: read("server.pem"), key: read("server-key.pem") },
      ...{ requestCert: true, rejectUnauthorized: true },
    },
    pipeToDaemon,
  );
  server.on("tlsClientError", () => undefined);
  const DOCKER_HOST = `tcp://localhost:${await listen(server)}`;
  try {
    const env = { DOCKER_HOST, DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: certs };
    demandRewards(await trials(world, "tls", env));
    const strangers = makeCertificates(join(world.directory, "strangers"));
    demandRefused(
      await trials(world, "tls-no", { ...env, DOCKER_CERT_PATH: strangers }, ["nop"]),
      /certificate/,
    );
    return { oracle: 1, nop: 0, strangers: "refused" };
  } finally {
    server.close();
  }
}

/** Stands in for sshd. */
function sshServer({ hostKey, clientKey }) {
  const allowed = ssh2.utils.parseKey(clientKey).getPublicSSH();
  return new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on("error", () => undefined);
    client.on("authentication", (asked) => {
      const isKnown = asked.method === "publickey" && asked.key.data.equals(allowed);
      if (!isKnown) return asked.reject(["publickey"]);
      if (asked.signature) {
        const key = ssh2.utils.parseKey(clientKey);
        if (key.verify(asked.blob, asked.signature, asked.hashAlgo) !== true) return asked.reject();
      }
      asked.accept();
    });
    client.on("session", (accept) => {
      accept().on("exec", (acceptExec, refuse, { command }) => {
        if (command !== "docker system dial-stdio") return refuse();
        const stream = acceptExec();
        stream.once("end", () => stream.exit(0));
        pipeToDaemon(stream);
      });
    });
  });
}

export async function overSsh(world) {
  const home = join(world.directory, "ssh-home");
  mkdirSync(join(home, ".ssh"), { recursive: true, mode: 0o700 });
  const key = (name) => {
    const path = join(home, ".ssh", name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
    return { key: readFileSync(path), public: readFileSync(`${path}.pub`, "utf8").trim() };
  };
  const host = key("host");
  const client = key("client");
  const server = sshServer({ hostKey: host.key, clientKey: client.key });
  const port = await listen(server);
  const bin = join(home, "bin");
  mkdirSync(bin);
  // ssh finds its configuration by the user's entry and not by HOME: it is given by the first `ssh` of the PATH.
  const known = join(home, "known_hosts");
  writeFileSync(
    join(bin, "ssh"),
    `#!/bin/sh\nexec /usr/bin/ssh -F none -i ${join(home, ".ssh", "client")} -o UserKnownHostsFile=${known} "$@"\n`,
    { mode: 0o755 },
  );
  const env = { DOCKER_HOST: `ssh://docker@127.0.0.1:${port}`, PATH: `${bin}:${process.env.PATH}` };
  try {
    writeFileSync(known, "");
    demandRefused(await trials(world, "ssh-no", env, ["nop"]), /Host key verification failed/);
    writeFileSync(known, `[127.0.0.1]:${port} ${host.public}\n`);
    demandRewards(await trials(world, "ssh", env));
    return { oracle: 1, nop: 0, unknownHost: "refused" };
  } finally {
    server.close();
  }
}
