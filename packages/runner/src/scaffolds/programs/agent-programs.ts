/** What runs in a sandbox, and where it comes from. Versions are those whose behaviour has been measured. */
export type AgentProgram = NpmProgram | PythonProgram;

export interface NpmProgram {
  kind: "npm";
  package: string;
  version: string;
  /** Below `node_modules`; the file or folder is copied whole. */
  from: string;
  /** Of what was copied, relative to it; null: it is the program itself. */
  entry: string | null;
}

/** Packages of Python with a Python to run on. What they are and how they start is in the folder of the agent's name. */
export interface PythonProgram {
  kind: "python";
  package: string;
  version: string;
  entry: "run";
}

const PLATFORM = `${process.platform}-${process.arch}`;
const RUST_ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";

/** Agents that are programs of their own: native ones, or with their interpreter, for the image may have none. */
export const AGENT_PROGRAMS = {
  "claude-code": {
    kind: "npm",
    package: "@anthropic-ai/claude-code",
    version: "2.1.329",
    from: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
    entry: null,
  },
  codex: {
    kind: "npm",
    package: "@openai/codex",
    version: "0.169.0",
    from: `@openai/codex-${PLATFORM}/vendor/${RUST_ARCH}-unknown-linux-musl/bin`,
    entry: "codex",
  },
  opencode: {
    kind: "npm",
    package: "opencode-ai",
    version: "1.18.33",
    from: `opencode-${PLATFORM}/bin/opencode`,
    entry: null,
  },
  "mini-swe-agent": {
    kind: "python",
    package: "mini-swe-agent",
    version: "2.4.6",
    entry: "run",
  },
  "openhands-sdk": {
    kind: "python",
    package: "openhands-sdk",
    version: "1.58.2",
    entry: "run",
  },
} as const satisfies Record<string, AgentProgram>;
export type ProgramName = keyof typeof AGENT_PROGRAMS;

/** Where sandboxes have the programs. */
const AT = "/opt/liverl";
export const IN_SANDBOX = {
  folder: AT,
  node: `${AT}/node`,
  tunnel: `${AT}/tunnel.mjs`,
  agent: `${AT}/agent`,
} as const;

/** Path of an agent's program in its sandbox. */
export function programPath(name: ProgramName): string {
  const { entry }: AgentProgram = AGENT_PROGRAMS[name];
  return entry === null ? IN_SANDBOX.agent : `${IN_SANDBOX.agent}/${entry}`;
}
