/** What of an npm package runs in a sandbox. Versions are those whose behaviour has been measured. */
export interface AgentProgram {
  package: string;
  version: string;
  /** Below `node_modules`; the file or folder is copied whole. */
  from: string;
  /** Of what was copied, relative to it; null: it is the program itself. */
  entry: string | null;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const RUST_ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";

/** Agents that are programs of their own: native ones, so that the image needs no interpreter. */
export const AGENT_PROGRAMS = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.329",
    from: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
    entry: null,
  },
  codex: {
    package: "@openai/codex",
    version: "0.169.0",
    from: `@openai/codex-${PLATFORM}/vendor/${RUST_ARCH}-unknown-linux-musl/bin`,
    entry: "codex",
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    from: `opencode-${PLATFORM}/bin/opencode`,
    entry: null,
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
