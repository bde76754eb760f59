"""Agents that a user of Harbor might have written, for the claims of this suite."""

import json
import os
import urllib.request

from harbor.agents.base import BaseAgent
from harbor.agents.installed.base import NonZeroAgentExitCodeError
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


class AskOnce(BaseAgent):
    """Asks the model for one command, runs it, and looks at what came of it."""

    @staticmethod
    def name() -> str:
        return "ask-once"

    def version(self) -> str:
        return "1"

    async def setup(self, environment: BaseEnvironment) -> None:
        (self.logs_dir / "plan.txt").write_text("one command")
        await environment.upload_file(self.logs_dir / "plan.txt", "/tmp/plan.txt")

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        command = self.ask(instruction)
        print("a line that is no message")
        await environment.exec(command, env={"PLAN": "/tmp/plan.txt"}, timeout_sec=60)
        seen = await environment.exec("cat answer; echo to stderr >&2; exit 3", cwd="/app")
        assert (seen.stdout, seen.return_code) == ("repaired\nto stderr\n", 3), seen
        await environment.download_dir("/app", self.logs_dir / "app")
        assert (self.logs_dir / "app/answer").read_text() == "repaired\n"
        try:
            await environment.exec("sleep 60", timeout_sec=1)
        except RuntimeError as error:
            assert "timed out after 1 seconds" in str(error)
        else:
            raise AssertionError("a command that is late has no end")

    def ask(self, instruction: str) -> str:
        body = {
            "model": self.model_name.split("/")[-1],
            "messages": [{"role": "user", "content": instruction}],
        }
        request = urllib.request.Request(
            f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]


class GivesUp(AskOnce):
    """Ends as an agent's program that fails."""

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        await environment.exec(self.ask(instruction))
        raise NonZeroAgentExitCodeError("the program ended with 1")


class Breaks(AskOnce):
    """Has a fault of its own."""

    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        raise LookupError("no such page")


class NoAgent:
    """Is no agent of Harbor."""
