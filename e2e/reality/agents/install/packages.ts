/** The clients, each at the version whose behaviour has been measured. */
export const PACKAGES = {
  "claude-code": {
    kind: "npm",
    specs: ["@anthropic-ai/claude-code@2.1.329"],
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  codex: {
    kind: "npm",
    specs: ["@openai/codex@0.169.0"],
    program: "node_modules/@openai/codex/bin/codex.js",
  },
  opencode: {
    kind: "npm",
    specs: ["opencode-ai@1.18.33"],
    program: `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
  "node-sdks": {
    kind: "npm",
    specs: ["openai@7.57.0", "@anthropic-ai/sdk@1.12.0"],
    program: "node_modules/openai/package.json",
  },
  "python-sdks": {
    kind: "pip",
    specs: ["openai==3.54.0", "anthropic==2.12.0"],
    program: "bin/python",
  },
} as const;
export type PackageName = keyof typeof PACKAGES;
