"""Local mode with the real stand-alone proxy in its own Node process: `npm run build` makes it."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from liverl_verl.agent_loop import RemoteAgentLoop
from liverl_verl.host_address import primary_ipv4
from liverl_verl.local_proxy import LocalProxy, Pool, default_bundle
from liverl_verl.node_js import LEAST, NoNode, find_node
from liverl_verl.proxy_place import ProxyFault, ProxyPlace
from liverl_verl.relay_worker import Generated, RelayWorker
from liverl_verl.runner_client import RolloutRefused
from liverl_verl.settings import SettingsError

ROOT = Path(__file__).parents[3]
SRC = ROOT / "packages/verl-adapter/src"
BUNDLE = ROOT / "dist/stand-alone/liverl-proxy.mjs"
needs_build = pytest.mark.skipif(not BUNDLE.is_file(), reason="`npm run build` has made no dist/stand-alone")

MODEL_TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The smallest folder that the proxy can prove: a byte-level vocabulary and a ChatML template."""
    folder = tmp_path / "tiny-model"
    folder.mkdir()
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    extra = iter(range(256, 512))
    alphabet = [chr(byte) if byte in printable else chr(next(extra)) for byte in range(256)]
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    added = [
        {
            "id": 256 + at,
            "content": text,
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
            "special": True,
        }
        for at, text in enumerate(special)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {letter: at for at, letter in enumerate(alphabet)},
            "merges": [],
            **dict.fromkeys(("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")),
            **dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False),
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": MODEL_TEMPLATE}))
    (folder / "config.json").write_text(
        json.dumps({"model_type": "qwen2", "vocab_size": 259, "eos_token_id": 258})
    )
    return folder


@pytest.fixture
def proxy(tmp_path: Path, model: Path) -> Iterator[LocalProxy]:
    local = LocalProxy(
        folder=tmp_path / "run@host",
        node=find_node(os.environ.get("LIVERL_NODE")),
        bundle=BUNDLE,
        pool=Pool("run", str(model), "tiny", 512),
        advertise="127.0.0.1",
    )
    yield local
    local.leave()
    until(lambda: not runs(guard_pid(local)), 20)


def record(local: LocalProxy) -> dict[str, int]:
    return dict(json.loads((local.folder / "process.json").read_text()))


def guard_pid(local: LocalProxy) -> int | None:
    try:
        return record(local)["guard"]
    except OSError:
        return None


def runs(pid: int | None) -> bool:
    if pid is None:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def until(look: Callable[[], object], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.05)


WORKER = """
    import sys, time
    from pathlib import Path
    sys.path.insert(0, {src!r})
    from liverl_verl.local_proxy import LocalProxy, Pool
    local = LocalProxy(folder=Path({folder!r}), node={node!r}, bundle=Path({bundle!r}), pool=Pool(**{pool!r}), advertise="127.0.0.1")
    print(local.start_or_find().url, flush=True)
    time.sleep(600)
"""


def worker(local: LocalProxy) -> "subprocess.Popen[str]":
    """Another rollout worker of this host, as a process of its own."""
    code = textwrap.dedent(WORKER).format(
        src=str(SRC),
        folder=str(local.folder),
        node=local.node,
        bundle=str(local.bundle),
        pool=vars(local.pool),
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def url_of(one: "subprocess.Popen[str]") -> str:
    assert one.stdout is not None
    return one.stdout.readline().strip()


class Echo:
    """An engine that says `ok` and ends its turn."""

    async def generate(self, session: str, prompt_ids: list[int], sampling: Any) -> Generated:
        return Generated([*b"ok", 258], [-0.5, -0.25, -0.125], "stop", (3, 3))

    async def score(self, request_id: str, prompt_ids: list[int], temperature: float) -> list[float | None]:
        return [None, *[-1.0] * (len(prompt_ids) - 1)]


async def ask(place: ProxyPlace, method: str, path: str, body: Any = None) -> Any:
    assert place.for_runner is not None
    headers = {"authorization": f"Bearer {place.for_runner['token']}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.request(method, place.for_runner["url"] + path, json=body) as answer,
    ):
        text = await answer.text()
        assert answer.status == 200, text
        return json.loads(text)


@needs_build
async def test_a_session_on_the_proxy_of_this_host_is_answered_by_this_very_worker(
    proxy: LocalProxy, caplog: pytest.LogCaptureFixture
) -> None:
    # verl's own settings keep our lines from the root logger once a loop was made.
    log = logging.getLogger("liverl_verl")
    log.addHandler(caplog.handler)
    caplog.set_level("INFO", "liverl_verl")
    joining = RelayWorker(finder=proxy, pool="run", engine=Echo(), concurrency=4)
    serving = asyncio.create_task(joining.run())
    try:
        await asyncio.wait_for(joining.registered.wait(), 60)
        assert joining.place is not None
        opened = await ask(
            joining.place, "POST", "/sessions", {"sessionId": "g.r0-a1", "directory": "trials/g.r0-a1"}
        )
        async with (
            aiohttp.ClientSession(headers={"authorization": f"Bearer {opened['apiKey']}"}) as http,
            http.post(
                opened["baseUrl"] + "/chat/completions",
                json={"model": "tiny", "messages": [{"role": "user", "content": "hi"}]},
            ) as answer,
        ):
            said = await answer.json()
        assert said["choices"][0]["message"]["content"] == "ok", said
        done = await ask(joining.place, "POST", "/sessions/g.r0-a1/complete", {"reward": 1})
        [segment] = done["segments"]
        assert [token for token, bit in zip(segment["tokenIds"], segment["mask"], strict=True) if bit] == [
            *b"ok",
            258,
        ]
        files = await ask(joining.place, "GET", "/sessions/g.r0-a1/files")
        assert json.loads(files["trajectory"])["reward"] == {"reward": 1}
        assert "hi" in files["requests"]
        await ask(joining.place, "DELETE", "/sessions/g.r0-a1/files")
        assert not (proxy.folder / "data/trials/g.r0-a1").exists()
        lines = [message for message in caplog.messages if message.startswith("session g.r0-a1 at ")]
        assert lines == [f"session g.r0-a1 at {opened['baseUrl']}"]
    finally:
        serving.cancel()
        log.removeHandler(caplog.handler)


class Config(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]


def loop_of(tmp_path: Path, runner_url: str, **settings: Any) -> RemoteAgentLoop:
    return RemoteAgentLoop(
        trainer_config={"rollout": Config(prompt_length=8, response_length=8)},
        server_manager=None,
        tokenizer=SimpleNamespace(eos_token_id=258),
        processor=None,
        dataset_cls=None,
        data_config=None,
        run_id="looped",
        runner_url=runner_url,
        runner_token="runner",
        proxy_mode="local",
        local_dir=str(tmp_path),
        llm_proxy_ip="127.0.0.1",
        **settings,
    )


ROW = {"uid": "u", "session_id": 0, "global_steps": 1, "task_ref": "repair/1"}


@needs_build
async def test_a_rollout_tells_the_runner_which_proxy_is_its_host_s(tmp_path: Path, model: Path) -> None:
    asked: list[dict[str, Any]] = []

    async def runner(request: web.Request) -> web.Response:
        asked.append(await request.json())
        return web.Response(status=400, text="that is all")

    app = web.Application()
    app.router.add_post("/api/v1/rollouts", runner)
    server = TestServer(app)
    await server.start_server()
    loop = loop_of(tmp_path, str(server.make_url("")), model_dir=str(model), proxy_bundle=str(BUNDLE))
    joining = loop._process.worker
    try:
        with pytest.raises(RolloutRefused, match="that is all"):
            await loop.run({}, **ROW)
        [request] = asked
        place = ProxyPlace("", "", for_runner=request["proxy"])
        assert [pool["id"] for pool in (await ask(place, "GET", "/pools"))["pools"]] == ["looped"]
    finally:
        loop._process._serving.cancel()
        finder = joining.finder
        assert isinstance(finder, LocalProxy)
        finder.leave()
        until(lambda: not runs(guard_pid(finder)), 20)
        await server.close()


async def test_what_keeps_a_host_from_its_proxy_ends_every_trainer_s_run_at_its_first_rollout(
    tmp_path: Path, model: Path
) -> None:
    with pytest.raises(SettingsError, match="needs the model's folder, and none of /no/such is one here"):
        loop_of(tmp_path, "http://127.0.0.1:9", model_dir="/no/such")
    loop = loop_of(tmp_path, "http://127.0.0.1:9", model_dir=str(model), proxy_bundle="/no/such.mjs")
    v0_row = {key: value for key, value in ROW.items() if key not in ("session_id", "global_steps")}
    for row in (ROW, v0_row):
        with pytest.raises(ProxyFault, match="set LIVERL_PROXY_BUNDLE"):
            await loop.run({}, **row)
    loop._process._serving.cancel()


@needs_build
def test_workers_of_one_host_share_one_proxy_that_outlives_its_starter(proxy: LocalProxy) -> None:
    starters = [worker(proxy) for _ in range(3)]
    try:
        urls = {url_of(one) for one in starters}
        assert len(urls) == 1
        assert {proxy.start_or_find().url} == urls
        before = record(proxy)
        for one in starters:
            one.send_signal(signal.SIGKILL)
            one.wait()
        time.sleep(5)
        assert record(proxy) == before and runs(before["proxy"])
        proxy.leave()
        until(lambda: not runs(before["proxy"]) and not runs(before["guard"]), 20)
    finally:
        for one in starters:
            one.kill()
            one.wait()


@needs_build
def test_it_ends_when_all_that_use_it_are_killed(proxy: LocalProxy) -> None:
    only = worker(proxy)
    url_of(only)
    pids = record(proxy)
    only.send_signal(signal.SIGKILL)
    only.wait()
    until(lambda: not runs(pids["proxy"]) and not runs(pids["guard"]), 20)


@needs_build
def test_a_proxy_that_dies_comes_back_where_it_was(proxy: LocalProxy) -> None:
    first = proxy.start_or_find()
    died = record(proxy)["proxy"]
    os.kill(died, signal.SIGKILL)
    until(lambda: record(proxy)["proxy"] != died, 20)
    assert proxy.start_or_find() == first


@needs_build
def test_a_killed_guard_takes_its_proxy_along_and_the_next_find_starts_both(proxy: LocalProxy) -> None:
    first, pids = proxy.start_or_find(), record(proxy)
    os.kill(pids["guard"], signal.SIGKILL)
    until(lambda: not runs(pids["guard"]), 5)
    assert proxy.start_or_find() == first
    assert not runs(pids["proxy"]) and record(proxy)["guard"] != pids["guard"]


@needs_build
def test_a_model_that_can_not_be_served_is_one_line(proxy: LocalProxy, model: Path) -> None:
    (model / "tokenizer.json").unlink()
    with pytest.raises(ProxyFault, match=r"does not start: liverl-proxy: .*tokenizer\.json") as caught:
        proxy.start_or_find()
    assert "\n" not in str(caught.value)


def test_a_program_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    local = LocalProxy(tmp_path / "r@h", "node", tmp_path / "none.mjs", Pool("r", "/m", "m", 8))
    with pytest.raises(ProxyFault, match="set LIVERL_PROXY_BUNDLE"):
        local.start_or_find()


def test_the_proxy_listens_where_others_reach_this_host() -> None:
    assert not primary_ipv4().startswith("127.")
    assert default_bundle().name == "liverl-proxy.mjs"


def script(path: Path, says: str) -> str:
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)
    return str(path)


def test_node_is_the_one_that_is_named_else_the_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = json.loads((ROOT / "package.json").read_text())["engines"]["node"]
    assert engines == f">={LEAST[0]}.{LEAST[1]}"
    fits = script(tmp_path / "fits", "v22.1.0")
    assert find_node(fits) == fits
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("liverl_verl.node_js._of_wheel", lambda: None)
    find_node.cache_clear()
    with pytest.raises(
        NoNode, match=r"20\.19 or later, but none is on PATH: set LIVERL_NODE=/path/to/node, or pip"
    ):
        find_node(None)
    script(tmp_path / "node", "v18.19.1")
    with pytest.raises(NoNode, match=r"is v18\.19\.1"):
        find_node(None)
    monkeypatch.setattr("liverl_verl.node_js._of_wheel", lambda: fits)
    assert find_node(None) == fits
    with pytest.raises(NoNode, match=r"the Node\.js that LIVERL_NODE names, /no/such, can not be run"):
        find_node("/no/such")
    find_node.cache_clear()
