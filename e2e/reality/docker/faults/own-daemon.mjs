// A Docker daemon of the suite's own, for faults that would break another's. It has a network of its own, for a second daemon
// beside one shares bridges and firewall with it; and its data are on a file system that can be filled.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Docker from "dockerode";
import { until } from "../../../../bench/liverl.mjs";
import { demand } from "../rollouts.mjs";
import { SmallDisk } from "./small-disk.mjs";

const suite = fileURLToPath(new URL("..", import.meta.url));
const DATA_MB = 192;
const START_MS = 60_000;
/** Sandboxes here have busybox alone: their bash is its shell. */
const IMAGE = "here/agent:1";
const DOCKERFILE = `FROM here/busybox:1
RUN printf '#!/bin/sh\\nexec sh "$@"\\n' > /bin/bash && chmod 755 /bin/bash && mkdir /app
`;

export class OwnDaemon {
  #child = null;

  constructor(directory) {
    this.directory = directory;
    const socket = join(directory, "docker.sock");
    this.host = `unix://${socket}`;
    this.docker = new Docker({ socketPath: socket });
  }

  /** The image is made at the first start. */
  async open() {
    mkdirSync(this.directory, { recursive: true });
    this.disk = new SmallDisk(join(this.directory, "data"), DATA_MB);
    // Its own end ends its containers; its disk can not go before.
    process.prependOnceListener("exit", () =>
      spawnSync("bash", [join(suite, "stop-dockerd.sh"), this.directory], { stdio: "ignore" }),
    );
    await this.start();
    this.#run("bash", [join(suite, "make-base-image.sh"), "busybox"]);
    this.makeImage();
  }

  makeImage() {
    const env = { DOCKER_BUILDKIT: "0" };
    this.#run("docker", ["build", "-q", "--network", "none", "-t", IMAGE, "-"], {
      input: DOCKERFILE,
      env,
    });
  }

  removeImage() {
    this.#run("docker", ["rmi", "-f", IMAGE]);
  }

  /** Also after it was killed: what it had is there again. */
  async start() {
    const at = (name) => join(this.directory, name);
    const child = spawn(
      "unshare",
      [
        ...["--net", "dockerd", "--data-root", at("data"), "--exec-root", at("exec")],
        ...["--pidfile", at("dockerd.pid"), "--host", this.host, "--log-level", "fatal"],
      ],
      { stdio: "ignore" },
    );
    this.#child = child;
    await until(
      async () => {
        demand(child.exitCode === null, "the suite's own Docker daemon does not start");
        return await this.docker.ping().catch(() => null);
      },
      { what: "the suite's own Docker daemon", timeoutMs: START_MS },
    );
  }

  async kill() {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }

  /** Answers nothing until it is thawed. */
  freeze() {
    this.#child.kill("SIGSTOP");
  }

  thaw() {
    this.#child.kill("SIGCONT");
  }

  async stop() {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await gone;
  }

  #run(command, words, { input, env } = {}) {
    const { status, stderr } = spawnSync(command, words, {
      env: { ...process.env, ...env, DOCKER_HOST: this.host },
      input,
      encoding: "utf8",
    });
    demand(status === 0, `${command} ${words[0]}: ${stderr}`);
  }
}
