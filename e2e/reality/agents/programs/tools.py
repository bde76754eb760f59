"""The tools of the agents on SDKs: run for real in the folder that the agent was started in."""

import subprocess

SYSTEM = "You are a coding agent. Use the tools to do what the user asks."
TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "bash",
        "description": "Runs a shell command.",
        "parameters": {
            "type": "object",
            "properties": {"command": TEXT, "timeout": {"type": "number"}},
            "required": ["command"],
        },
    },
    {
        "name": "read",
        "description": "Reads a file.",
        "parameters": {"type": "object", "properties": {"path": TEXT}, "required": ["path"]},
    },
    {
        "name": "write",
        "description": "Writes a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": TEXT, "content": TEXT},
            "required": ["path", "content"],
        },
    },
]


def run_tool(name, args):
    """Never raises: what went wrong is for the model to read."""
    try:
        if name == "bash":
            done = subprocess.run(["sh", "-c", args["command"]], capture_output=True, text=True)
            return done.stdout + done.stderr
        if name == "read":
            with open(args["path"], encoding="utf-8") as file:
                return file.read()
        if name == "write":
            with open(args["path"], "w", encoding="utf-8") as file:
                file.write(args["content"])
            return ""
        return f"error: there is no tool {name}"
    except Exception as error:
        return f"error: {error!r}"
