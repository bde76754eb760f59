"""Harbor's environment on a Docker daemon by the `docker` program alone: Harbor's own needs Docker's compose plugin.

Use: harbor run -e docker_cli_env:DockerCliEnvironment, with this folder on PYTHONPATH. Runs `docker_image`; builds none.
"""

import asyncio
import uuid
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import (
    EnvironmentCapabilities,
    EnvironmentResourceCapabilities,
)


async def docker(*words, timeout_sec=None):
    process = await asyncio.create_subprocess_exec(
        "docker",
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
    except asyncio.TimeoutError:
        process.kill()
        raise
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


async def must(*words):
    code, out, err = await docker(*words)
    if code != 0:
        raise RuntimeError(f"docker {words[0]}: {err or out}")
    return out


class DockerCliEnvironment(BaseEnvironment):
    @staticmethod
    def type() -> str:
        return "docker-cli"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities()

    def _validate_definition(self):
        if not self.task_env_config.docker_image:
            raise ValueError("docker_image is needed: this environment builds none")

    async def start(self, force_build: bool) -> None:
        self._name = f"harbor-{uuid.uuid4().hex[:12]}"
        config = self.task_env_config
        workdir = ["-w", config.workdir] if config.workdir else []
        network = self.network_policy.network_mode.value
        # The network alone: what runs is the task's own, as its author wrote it.
        way = ["--network", "none"] if network == "no-network" else []
        await must("run", "-d", "--init", "--name", self._name, *way, *workdir, config.docker_image, "sleep", "3600")
        await must("exec", self._name, "mkdir", "-p", "/logs/agent", "/logs/verifier", "/logs/artifacts", "/tests")
        await must("exec", self._name, "chmod", "-R", "777", "/logs")

    async def stop(self, delete: bool):
        await docker("rm", "-f", self._name)

    async def upload_file(self, source_path, target_path):
        await must("exec", "-u", "0", self._name, "mkdir", "-p", str(Path(target_path).parent))
        await must("cp", str(source_path), f"{self._name}:{target_path}")

    async def upload_dir(self, source_dir, target_dir):
        await must("exec", "-u", "0", self._name, "mkdir", "-p", str(target_dir))
        await must("cp", f"{source_dir}/.", f"{self._name}:{target_dir}")

    async def download_file(self, source_path, target_path):
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        await must("cp", f"{self._name}:{source_path}", str(target_path))

    async def download_dir(self, source_dir, target_dir):
        Path(target_dir).mkdir(parents=True, exist_ok=True)
        await must("cp", f"{self._name}:{source_dir}/.", str(target_dir))

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        who = user if user is not None else self.default_user
        words = [
            *(["-u", str(who)] if who is not None else []),
            *(["-w", str(cwd)] if cwd else []),
            *[word for key, value in (self._merge_env(env) or {}).items() for word in ("-e", f"{key}={value}")],
        ]
        code, out, err = await docker("exec", *words, self._name, "bash", "-c", command, timeout_sec=timeout_sec)
        return ExecResult(stdout=out, stderr=err, return_code=code)
