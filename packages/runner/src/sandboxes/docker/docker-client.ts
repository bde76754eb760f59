import Docker from "dockerode";
import { hostEnv } from "#env.ts";
import { SshAgent } from "#sandboxes/docker/ssh-agent.ts";

/**
 * The daemon that `DOCKER_HOST` names, as Docker's own client reads it: a socket, `tcp://` (with `DOCKER_TLS_VERIFY=1` and
 * `DOCKER_CERT_PATH`), or `ssh://USER@HOST`; left out, the local one.
 */
export function openDocker(host = hostEnv.DOCKER_HOST): Docker {
  if (!host?.startsWith("ssh://")) return new Docker();
  // Its own way over SSH takes any key of the other side for that host's.
  const options = {
    protocol: "http",
    host: "docker",
    port: 80,
    agent: new SshAgent(host),
  } as const;
  return new Docker(options);
}
