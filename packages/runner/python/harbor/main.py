"""Runs an agent of Harbor on this host against a sandbox that LiveRL has: what it does in there goes to LiveRL as messages.

usage: python main.py PACKAGES check module.path:ClassName    prints {"name", "version"}, or says on stderr what is wrong
       python main.py PACKAGES run                            speaks on stdin and stdout, one JSON object a line

`run`: the first line in is the work (see `work`). Out go {"id", "do": "exec" | "upload" | "download", …}, each answered by
{"id", "value"} or {"id", "fault"}, and last {"ended", "type", "message"}. What the agent itself prints goes to stderr.
Ends with its stdin: an agent never outlives the process that it works for.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
import threading
from pathlib import Path

USAGE = "an import path is module.path:ClassName, of a subclass of harbor.agents.base.BaseAgent"
# The model's context is full: harbor's own name for it, litellm's and that of its installed agents.
CONTEXT_FULL = {"ContextLengthExceededError", "ContextWindowExceededError"}


class BadImportPath(Exception):
    """Names no agent of Harbor that can be loaded; the message is for people."""


def load(import_path: str) -> type:
    """The class of an import path. Raises BadImportPath."""
    from harbor.agents.base import BaseAgent

    module_name, _, class_name = import_path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise BadImportPath(
                f"there is no module {error.name}: put its folder on PYTHONPATH where LiveRL is started, "
                "or install it for the Python that LIVERL_PYTHON names"
            ) from error
        raise BadImportPath(f"{module_name} imports {error.name}, which is not installed") from error
    except Exception as error:
        raise BadImportPath(f"{module_name} can not be imported: {type(error).__name__}: {error}") from error
    found = getattr(module, class_name, None)
    if found is None:
        raise BadImportPath(f"{module_name} has no {class_name}")
    if not (isinstance(found, type) and issubclass(found, BaseAgent)):
        raise BadImportPath(f"{import_path} is no agent of Harbor: {USAGE}")
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise BadImportPath(f"{import_path} does not define {missing}")
    return found


class Line:
    """The way to LiveRL. Calls may be made by several tasks at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        # Whatever the agent or its libraries print must not get between the messages.
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self._loop = loop
        self._waiting: dict[int, asyncio.Future] = {}
        self._last = 0
        self.work = json.loads(self._in.readline())
        threading.Thread(target=self._read, daemon=True).start()

    async def ask(self, do: str, **what):
        self._last += 1
        answer = self._loop.create_future()
        self._waiting[self._last] = answer
        self.tell({"id": self._last, "do": do, **what})
        return await answer

    def tell(self, message: dict) -> None:
        self._out.write(json.dumps(message).encode() + b"\n")
        self._out.flush()

    def _read(self) -> None:
        for line in self._in:
            self._loop.call_soon_threadsafe(self._take, json.loads(line))
        os._exit(1)

    def _take(self, message: dict) -> None:
        waiting = self._waiting.pop(message["id"], None)
        if waiting is None or waiting.done():
            return
        if "fault" in message:
            waiting.set_exception(RuntimeError(message["fault"]))
        else:
            waiting.set_result(message.get("value"))


def environment_of(line: Line):
    """Harbor's view of the sandbox, which has started already and is ended by LiveRL."""
    from harbor.environments.base import BaseEnvironment, ExecResult
    from harbor.models.task.config import EnvironmentConfig
    from harbor.models.trial.paths import TrialPaths

    class LiverlSandbox(BaseEnvironment):
        @staticmethod
        def type() -> str:
            return "liverl"

        def _validate_definition(self) -> None:
            pass

        async def start(self, force_build: bool) -> None:
            pass

        async def stop(self, delete: bool) -> None:
            pass

        async def upload_file(self, source_path, target_path) -> None:
            await line.ask("upload", source=absolute(source_path), target=str(target_path))

        upload_dir = upload_file

        async def download_file(self, source_path, target_path) -> None:
            await line.ask("download", source=str(source_path), target=absolute(target_path))

        download_dir = download_file

        async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None) -> ExecResult:
            done = await line.ask(
                "exec",
                command=command,
                cwd=None if cwd is None else str(cwd),
                env=self._merge_env(env) or {},
                timeoutS=timeout_sec or None,
                user=self._resolve_user(user),
            )
            # As Harbor's own Docker does: both streams together, and a time-out is an exception.
            if done["exitCode"] is None:
                raise RuntimeError(f"Command timed out after {timeout_sec} seconds")
            return ExecResult(stdout=done["output"] or None, return_code=done["exitCode"])

    work = line.work
    trial = Path(work["trial"])
    return LiverlSandbox(
        environment_dir=Path(work["environment"]),
        environment_name=work["task"],
        session_id=work["session"],
        trial_paths=TrialPaths(trial_dir=trial),
        task_env_config=EnvironmentConfig(),
    )


def absolute(path) -> str:
    return str(Path(path).absolute())


def agent_of(found: type, work: dict):
    """The agent with the model's address, of which each class takes what it knows."""
    offered = {
        "api_base": f"{work['url']}/v1",
        "model_info": {
            "max_input_tokens": work["window"],
            "max_output_tokens": work["window"],
            "input_cost_per_token": 0,
            "output_cost_per_token": 0,
        },
        # Needs a program that few images have, and looks for it on the Internet.
        "record_terminal_session": False,
    }
    known = set(inspect.signature(found.__init__).parameters)
    options = getattr(found, "options_model", None)
    if options is not None:
        known |= set(options.model_fields)
    logs = Path(work["trial"]) / "agent"
    logs.mkdir(parents=True, exist_ok=True)
    taken = {name: value for name, value in offered.items() if name in known}
    return found(logs_dir=logs, model_name=f"openai/{work['model']}", **taken)


async def work(line: Line) -> dict:
    """Plays one attempt. Answers with how it ended: `finished`, `context-full`, `agent-error`, `setup-error` or `failed`."""
    from harbor.agents.installed.base import NonZeroAgentExitCodeError
    from harbor.models.agent.context import AgentContext

    told = line.work
    os.environ.update(told["env"])
    try:
        environment = environment_of(line)
        environment.default_user = told["user"]
        agent = agent_of(load(told["importPath"]), told)
        await agent.setup(environment)
    except Exception as error:
        return ending("setup-error", error)
    try:
        await agent.run(told["instruction"], environment, AgentContext())
    except Exception as error:
        if any(kind.__name__ in CONTEXT_FULL for kind in type(error).__mro__):
            return ending("context-full", error)
        is_agents = isinstance(error, NonZeroAgentExitCodeError)
        return ending("agent-error" if is_agents else "failed", error)
    return {"ended": "finished", "type": "", "message": ""}


def ending(how: str, error: Exception) -> dict:
    import traceback

    traceback.print_exception(error)
    return {"ended": how, "type": type(error).__name__, "message": str(error)[:4000]}


async def run() -> None:
    line = Line(asyncio.get_running_loop())
    line.tell(await work(line))
    # Threads of the agent may go on; nobody waits for them.
    os._exit(0)


def check(import_path: str) -> None:
    try:
        found = load(import_path)
    except BadImportPath as error:
        sys.exit(str(error))
    print(json.dumps({"name": str(found.name()), "version": version_of(found)}))


def version_of(found: type) -> str:
    """As far as the class alone tells; most need no instance for it."""
    try:
        return str(found.version(None) or "unknown")
    except Exception:
        return "unknown"


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    if sys.argv[2] == "check":
        check(sys.argv[3])
    else:
        asyncio.run(run())
