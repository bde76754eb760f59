import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  finished,
  type Scaffold,
  type ScaffoldEnding,
  type ScaffoldWork,
} from "#scaffolds/harbor/scaffold.ts";
import { HARBOR_VERSION } from "#scaffolds/host-agents/harbor-python.ts";
import { type HostEnding, playOnHost } from "#scaffolds/host-agents/host-process.ts";
import { openSessionServer, type SessionServer } from "#scaffolds/host-agents/session-server.ts";
import { playInSession } from "#scaffolds/tunnel/play-in-session.ts";
import { TrialError } from "#trials/trial-error.ts";

/**
 * An agent of Harbor: a process of this host that acts in the sandbox by commands, as under Harbor itself. What it
 * prints: `agent/harbor.txt`.
 */
export function hostScaffold(name: string, importPath: string): Scaffold {
  return {
    name,
    version: `harbor ${HARBOR_VERSION}`,
    importPath,
    run: (work) => runOnHost(name, importPath, work),
  };
}

async function runOnHost(
  name: string,
  importPath: string,
  work: ScaffoldWork,
): Promise<ScaffoldEnding> {
  const { progress, sandbox, root, harbor } = work;
  if (harbor === null) throw new TrialError("AgentSetupError", "Harbor is not installed.");
  const folder = join(root, "agent");
  await mkdir(folder, { recursive: true });
  return await playInSession(name, work, openSessionServer, async (server, signal) => {
    const ending = await playOnHost({
      command: harbor,
      work: orderOf(importPath, work, server),
      sandbox,
      folder,
      logPath: join(folder, "harbor.txt"),
      signal,
      onCommand: (durationMs) => {
        progress.toolS += durationMs / 1_000;
      },
    });
    return judge(name, ending, server);
  });
}

/** What the process is told first; python/harbor/main.py reads it. */
function orderOf(
  importPath: string,
  { step, model, window, root, task }: ScaffoldWork,
  { url, key }: SessionServer,
) {
  return {
    importPath,
    instruction: step.instruction,
    trial: root,
    session: basename(root),
    task: task.name,
    environment: task.environmentFolder,
    user: step.agent.user,
    model,
    window,
    url,
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
    },
  };
}

function judge(name: string, { ended, type, message }: HostEnding, server: SessionServer) {
  if (ended === "finished") return finished;
  if (ended === "context-full")
    return { termination: "context-overflow", exception: null } as const;
  const fault = server.fault();
  if (fault !== null)
    throw new TrialError("NetworkConnectionError", `${name} lost its session: ${fault}.`);
  if (ended === "setup-error")
    throw new TrialError("AgentSetupError", `${name} can not be set up: ${type}: ${message}`);
  // As under Harbor: what is not the end of an agent's program is not verified.
  if (ended === "failed") throw new TrialError(type, `${name}: ${message}`);
  return {
    termination: "agent-error",
    exception: {
      exception_type: type,
      exception_message: message,
      occurred_at: new Date().toISOString(),
    },
  } as const;
}
