// The tools of the agents on SDKs: run for real in the folder that the agent was started in.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const text = { type: "string" };
export const TOOLS = [
  {
    name: "bash",
    description: "Runs a shell command.",
    parameters: {
      type: "object",
      properties: { command: text, timeout: { type: "number" } },
      required: ["command"],
    },
  },
  {
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: text }, required: ["path"] },
  },
  {
    name: "write",
    description: "Writes a file.",
    parameters: {
      type: "object",
      properties: { path: text, content: text },
      required: ["path", "content"],
    },
  },
];
export const SYSTEM = "You are a coding agent. Use the tools to do what the user asks.";

/** Never throws: what went wrong is for the model to read. */
export function runTool(name, args) {
  try {
    if (name === "bash") {
      if (typeof args.command !== "string") return "error: command is missing";
      const { stdout, stderr } = spawnSync("sh", ["-c", args.command], { encoding: "utf8" });
      return stdout + stderr;
    }
    if (name === "read") return readFileSync(args.path, "utf8");
    if (name === "write") {
      writeFileSync(args.path, args.content);
      return "";
    }
    return `error: there is no tool ${name}`;
  } catch (error) {
    return `error: ${error.message}`;
  }
}
