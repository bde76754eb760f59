import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  finished,
  type Scaffold,
  type ScaffoldEnding,
  type ScaffoldWork,
} from "#scaffolds/harbor/scaffold.ts";
import {
  AGENT_PROGRAMS,
  IN_SANDBOX,
  type ProgramName,
  programPath,
} from "#scaffolds/programs/agent-programs.ts";
import { openTunnel, type Tunnel } from "#scaffolds/tunnel/open-tunnel.ts";
import { playInSession } from "#scaffolds/tunnel/play-in-session.ts";
import { TrialError } from "#trials/trial-error.ts";

/** In the sandbox: the instruction, and what the agent is configured with. */
export const AGENT_FILES = "/liverl-agent";
const OUTPUT_BYTES = 16 * 1024;
/** Of a shell that can not run a program. */
const CANNOT_RUN = new Set([126, 127]);
/** Takes the place of the session's key, which stays outside. */
export const NO_KEY = "liverl";

export interface ProgramSetup {
  program: string;
  /** `http://127.0.0.1:<port>`; the dialects are under `/v1`. */
  url: string;
  model: string;
  /** Tokens of the model's context. */
  window: number;
}

/** How an agent of its own is called. */
export interface ProgramAgent {
  name: ProgramName;
  /** By name below {@link AGENT_FILES}. */
  files(setup: ProgramSetup): Record<string, string>;
  env(setup: ProgramSetup): Record<string, string>;
  /** Of a shell, up to the instruction on stdin. */
  command(setup: ProgramSetup): string;
  /** What it exits with when the model's context is full, where it tells that from other failures. */
  contextFullCode?: number;
}

/** An agent that runs in the sandbox and reaches its session through the tunnel. Its output: `/logs/agent/<name>.txt`. */
export function programScaffold(agent: ProgramAgent): Scaffold {
  const { version } = AGENT_PROGRAMS[agent.name];
  return {
    name: agent.name,
    version,
    program: agent.name,
    output: `${agent.name}.txt`,
    run: (work) =>
      playInSession(
        agent.name,
        work,
        (options) => openTunnel(work.sandbox, [IN_SANDBOX.node, IN_SANDBOX.tunnel], options),
        (tunnel, signal) => execProgram(agent, work, tunnel, signal),
      ),
  };
}

async function execProgram(
  agent: ProgramAgent,
  work: ScaffoldWork,
  tunnel: Tunnel,
  signal: AbortSignal,
): Promise<ScaffoldEnding> {
  const { sandbox, step, model, window } = work;
  const setup = { program: programPath(agent.name), url: tunnel.url, model, window };
  await uploadFiles(work, { ...agent.files(setup), "instruction.md": step.instruction });
  const log = `/logs/agent/${agent.name}.txt`;
  const { exitCode } = await sandbox.exec({
    argv: ["sh", "-c", `${agent.command(setup)} < ${AGENT_FILES}/instruction.md > ${log} 2>&1`],
    user: step.agent.user,
    env: agent.env(setup),
    timeoutMs: null,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  if (exitCode === 0) return finished;
  if (exitCode !== null && exitCode === agent.contextFullCode)
    return { termination: "context-overflow", exception: null };
  const fault = await tunnel.fault();
  if (fault !== null)
    throw new TrialError("NetworkConnectionError", `${agent.name} lost its session: ${fault}.`);
  if (exitCode !== null && CANNOT_RUN.has(exitCode))
    throw new TrialError(
      "AgentSetupError",
      `${agent.name} can not run in this image (exit code ${exitCode}): agent/${agent.name}.txt says why.`,
    );
  return {
    termination: "agent-error",
    exception: {
      exception_type: "NonZeroAgentExitCodeError",
      exception_message: `${agent.name} exited with ${exitCode}: agent/${agent.name}.txt has what it wrote.`,
      occurred_at: new Date().toISOString(),
    },
  };
}

async function uploadFiles({ sandbox }: ScaffoldWork, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "liverl-agent-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text, { mode: 0o644 });
    }
    await sandbox.upload(folder, AGENT_FILES);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
