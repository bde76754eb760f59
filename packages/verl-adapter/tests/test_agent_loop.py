"""The loop against a proxy and a runner that stand in for LiveRL's, and the rules that verl's trainers hold it to."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from aiohttp import WSMsgType, web
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, check_outputs

from liverl_verl import frames
from liverl_verl.agent_loop import RemoteAgentLoop, RolloutFailed, UnknownSampling
from liverl_verl.runner_client import RolloutRefused
from liverl_verl.task_ref import NoTask

EOS = 2
ROLLOUT = {"prompt_length": 6, "response_length": 8, "max_model_len": 64}
SAMPLING = {"temperature": 0.7, "top_p": 1, "top_k": -1, "repetition_penalty": 1.0, "logprobs": True}


class Config(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]


class Engine:
    """verl's server manager, as far as the adapter sees it."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.version = 4
        self.stop_reason = "completed"

    async def generate(
        self, *, request_id: str, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> Any:
        if len(prompt_ids) > 60:
            raise ValueError("prompt is longer than max_model_len")
        self.calls.append({"request_id": request_id, "prompt_ids": list(prompt_ids), **sampling_params})
        return SimpleNamespace(
            token_ids=[7, 8, EOS],
            log_probs=[-0.1, -0.2, -0.3],
            routed_experts=None,
            stop_reason=self.stop_reason,
            num_preempted=0,
            extra_fields={"min_global_steps": self.version, "max_global_steps": self.version},
        )


class LiveRL:
    """A stand-in for the data plane: one turn a rollout, asked of the worker over a real socket."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.frames: list[frames.Frame] = []
        self.sockets: list[web.WebSocketResponse] = []
        self.answers: dict[str, asyncio.Future[frames.Frame]] = {}
        self.chunks: dict[str, frames.Frame] = {}
        self.fail = 0
        self.away = 0
        self.reward: float | None = 1.0
        self.termination = "agent-finished"
        self.flags: list[dict[str, Any]] = []
        self.segments = 1
        self.change: dict[str, Any] = {}
        """Of a segment, over what it really was."""
        self.rubbish = 0
        self.routing: dict[str, Any] | None = None
        self.url = ""

    async def worker(self, request: web.Request) -> web.WebSocketResponse:
        assert request.headers["authorization"] == "Bearer worker"
        socket = web.WebSocketResponse(protocols=[frames.PROTOCOL])
        await socket.prepare(request)
        self.sockets.append(socket)
        async for message in socket:
            if message.type is not WSMsgType.BINARY:
                break
            frame = frames.decode(message.data)
            self.frames.append(frame)
            kind = frame.header["t"]
            if kind == "register":
                await socket.send_bytes(frames.encode({"t": "registered", "heartbeatMs": 50}))
            elif kind == "chunk":
                self.chunks[frame.header["id"]] = frame
            elif kind in ("end", "error", "need", "scores"):
                self.answers[frame.header["id"]].set_result(frame)
        return socket

    async def ask(self, header: dict[str, Any], ids: list[int]) -> frames.Frame:
        self.answers[header["id"]] = asyncio.get_running_loop().create_future()
        await self.sockets[-1].send_bytes(frames.encode(header, ids))
        return await asyncio.wait_for(self.answers[header["id"]], 10)

    async def generate(
        self, request: str, session: str, ids: list[int], keep: int = 0, digest: str | None = None
    ) -> frames.Frame:
        header = {
            "t": "generate",
            "id": request,
            "session": session,
            "keep": keep,
            "digest": digest or frames.digest_of([]),
            "sampling": {"max_tokens": 5, "temperature": 0.7, "logprobs": 0, "stream_interval": 64},
            "cacheSalt": "x",
        }
        return await self.ask(header, ids)

    async def rollout(self, request: web.Request) -> web.Response:
        assert request.headers["authorization"] == "Bearer runner"
        body = await request.json()
        self.requests.append(body)
        if self.away > 0:
            self.away -= 1
            return web.Response(status=503, text="away")
        if self.rubbish > 0:
            self.rubbish -= 1
            return web.Response(text='{"rolloutId": "u1', content_type="application/json")
        if body["taskRef"] == "unknown":
            return web.Response(status=400, text="No such task")
        common = {
            "rolloutId": body["rolloutId"],
            "attempt": 1,
            "turns": 1,
            "timings": dict.fromkeys(("generateS", "toolS", "verifyS"), 0.5),
        }
        if self.fail > 0:
            self.fail -= 1
            fault = {"exception_type": "SandboxError", "exception_message": "no pod"}
            return web.json_response(
                {
                    **common,
                    "status": "failed",
                    "reward": None,
                    "termination": "infra-error",
                    "error": fault,
                    "segments": [],
                }
            )
        end = await self.generate("q-" + body["rolloutId"], body["rolloutId"], [10, 11, 12])
        chunk = self.chunks["q-" + body["rolloutId"]]
        segment = {
            "tokenIds": [10, 11, 12, *chunk.ids],
            "mask": [0, 0, 0, *[1] * len(chunk.ids)],
            "logprobs": [None, None, None, *chunk.logprobs],
            "policyVersions": [None] * 3 + [4] * len(chunk.ids),
            "versionSpan": end.header["versionBounds"],
            "trainable": True,
            "reason": None,
            "credit": {"parentSegmentId": None},
            "routedExperts": self.routing,
            **self.change,
        }
        return web.json_response(
            {
                **common,
                "status": "succeeded",
                "reward": self.reward,
                "termination": self.termination,
                "flags": self.flags,
                "error": None,
                "segments": [
                    {**segment, "trainable": at == 0 or body["outputs"] == "all"}
                    for at in range(self.segments)
                ],
            }
        )


@pytest.fixture
async def liverl() -> AsyncIterator[LiveRL]:
    stand_in = LiveRL()
    app = web.Application()
    app.router.add_get("/ws/worker", stand_in.worker)
    app.router.add_post("/api/v1/rollouts", stand_in.rollout)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server = site._server
    assert isinstance(server, asyncio.Server)
    stand_in.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield stand_in
    for task in asyncio.all_tasks() - {asyncio.current_task()}:  # type: ignore[arg-type]
        if "RelayWorker.run" in repr(task):
            task.cancel()
    await runner.cleanup()


@pytest.fixture
def engine() -> Engine:
    return Engine()


def loop_of(liverl: LiveRL, engine: Engine, **settings: Any) -> RemoteAgentLoop:
    return RemoteAgentLoop(
        trainer_config={"rollout": Config(ROLLOUT)},
        server_manager=engine,
        tokenizer=SimpleNamespace(eos_token_id=EOS),
        processor=None,
        dataset_cls=None,
        data_config=None,
        run_id="run",
        runner_url=liverl.url,
        runner_token="runner",
        proxy_url=liverl.url,
        worker_token="worker",
        **settings,
    )


def v1_row(**more: Any) -> dict[str, Any]:
    return {
        "uid": "u1",
        "session_id": 0,
        "global_steps": 3,
        "task_ref": "repair/1",
        "extra_info": {"split": "train"},
        **more,
    }


def v0_row(**more: Any) -> dict[str, Any]:
    return {key: value for key, value in v1_row(**more).items() if key not in ("session_id", "global_steps")}


def check(outputs: list[AgentLoopOutput]) -> None:
    check_outputs(outputs, prompt_length=ROLLOUT["prompt_length"], response_length=ROLLOUT["response_length"])


async def test_a_rollout_of_v1_is_what_the_engine_gave(liverl: LiveRL, engine: Engine) -> None:
    outputs = await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    check(outputs)
    [output] = outputs
    assert (output.prompt_ids, output.response_ids) == ([10, 11, 12], [7, 8, EOS])
    assert output.response_logprobs == [-0.1, -0.2, -0.3]
    assert output.extra_fields["max_global_steps"] == 4
    assert (output.reward_score, output.num_turns) == (1.0, 2)
    [request] = liverl.requests
    assert request["rolloutId"] == "u1.s3.r0"
    assert request["mode"] == "train"
    assert request["sampling"] == {"temperature": 0.7, "max_tokens": 8}
    # One request id a trajectory keeps its prefix on one replica; keys of vLLM's HTTP API stay behind.
    [call] = engine.calls
    assert call["request_id"] == "u1.s3.r0"
    assert call["logprobs"] is True and "stream_interval" not in call


PASSED_ON = {
    "top_p": 0.9,
    "top_k": 50,
    "min_p": 0.05,
    "repetition_penalty": 1.1,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.25,
    "min_tokens": 2,
    "ignore_eos": True,
    "seed": 3,
}


async def test_each_sampling_parameter_that_verl_gives_is_asked_of_the_runner(
    liverl: LiveRL, engine: Engine
) -> None:
    await loop_of(liverl, engine).run({**SAMPLING, **PASSED_ON, "max_new_tokens": 5}, **v1_row())
    assert liverl.requests[0]["sampling"] == {"temperature": 0.7, "max_tokens": 5, **PASSED_ON}


async def test_a_sampling_parameter_that_cannot_be_passed_on_ends_the_run(
    liverl: LiveRL, engine: Engine
) -> None:
    for row in (v1_row(), v0_row()):
        with pytest.raises(UnknownSampling, match="typical_p"):
            await loop_of(liverl, engine).run({**SAMPLING, "typical_p": 0.5}, **row)
    assert liverl.requests == []


async def test_a_row_for_each_segment_in_v1_and_one_elsewhere(liverl: LiveRL, engine: Engine) -> None:
    liverl.segments = 3
    outputs = await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    assert len(outputs) == 3
    check(outputs)
    output = await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    check([output])
    assert [request["outputs"] for request in liverl.requests] == ["all", "one"]


async def test_router_replay_takes_no_row_without_routing(
    liverl: LiveRL, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ROLLOUT, "enable_rollout_routing_replay", True)
    routing = np.arange(2 * 5 * 2, dtype="<i2").reshape(5, 2, 2)
    liverl.routing = {"rows": 5, "shape": [2, 2], "dtype": "<i2", "data": base64.b64encode(routing).decode()}
    [output] = await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    assert liverl.requests[-1]["routedExperts"] is True
    assert output.routed_experts.tolist() == routing.tolist()
    liverl.routing = None
    with pytest.raises(RolloutFailed, match="did not tell which experts"):
        await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    # Where verl needs a row, the stand-in has the shape of its siblings.
    blank = await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    assert (blank.response_mask, blank.routed_experts.shape) == ([0], (1, 2, 2))


async def test_infrastructure_that_fails_is_asked_again_under_another_id(
    liverl: LiveRL, engine: Engine
) -> None:
    liverl.fail, liverl.away = 1, 2
    outputs = await loop_of(liverl, engine, retries=1).run(SAMPLING, **v1_row())
    check(outputs)
    assert [request["rolloutId"] for request in liverl.requests] == ["u1.s3.r0"] * 3 + ["u1.s3.x1.r0"]


async def test_v1_raises_where_others_get_a_stand_in_that_trains_nothing(
    liverl: LiveRL, engine: Engine
) -> None:
    liverl.fail = 4
    with pytest.raises(RolloutFailed, match="SandboxError: no pod"):
        await loop_of(liverl, engine, retries=1).run(SAMPLING, **v1_row())
    output = await loop_of(liverl, engine, retries=1).run(SAMPLING, **v0_row())
    check([output])
    assert output.response_mask == [0]
    assert output.extra_fields["reward_extra_info"]["stand_in"] == 1.0
    real = await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    check([output, real])


async def test_a_filtered_end_stays_out_of_the_update(liverl: LiveRL, engine: Engine) -> None:
    liverl.termination = "timeout"
    with pytest.raises(RolloutFailed, match="kept out of the update: timeout"):
        await loop_of(liverl, engine, drop_reasons=["timeout"]).run(SAMPLING, **v1_row())
    check(await loop_of(liverl, engine).run(SAMPLING, **v1_row()))


@pytest.mark.parametrize("reason", ["integrity", "integrity_tools_changed"])
async def test_a_sign_that_the_filter_names_stays_out_of_the_update(
    liverl: LiveRL, engine: Engine, reason: str
) -> None:
    liverl.flags = [{"kind": "tools-changed", "evidence": ["modified /bin/bash"]}]
    with pytest.raises(RolloutFailed, match="kept out of the update: integrity"):
        await loop_of(liverl, engine, drop_reasons=[reason]).run(SAMPLING, **v1_row())
    check(await loop_of(liverl, engine, drop_reasons=["integrity_tests_edited"]).run(SAMPLING, **v1_row()))
    check(await loop_of(liverl, engine).run(SAMPLING, **v1_row()))


async def test_what_the_runner_refuses_is_not_asked_again(liverl: LiveRL, engine: Engine) -> None:
    with pytest.raises(RolloutRefused, match="400 No such task"):
        await loop_of(liverl, engine).run(SAMPLING, **v1_row(task_ref="unknown"))
    assert len(liverl.requests) == 1


async def test_a_set_up_that_is_refused_from_the_first_on_is_no_run_of_stand_ins(
    liverl: LiveRL, engine: Engine
) -> None:
    with pytest.raises(RolloutRefused):
        await loop_of(liverl, engine).run(SAMPLING, **v0_row(task_ref="unknown"))
    await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    output = await loop_of(liverl, engine).run(SAMPLING, **v0_row(task_ref="unknown"))
    assert output.response_mask == [0]


@pytest.mark.parametrize(
    "fault",
    [
        {"change": {"mask": [0, 1]}},
        {"change": {"logprobs": [None] * 6}},
        {"change": {"tokenIds": None}},
        {"reward": None},
    ],
)
async def test_no_fault_of_one_rollout_ends_a_trainer(
    liverl: LiveRL, engine: Engine, fault: dict[str, Any]
) -> None:
    check([await loop_of(liverl, engine).run(SAMPLING, **v0_row())])
    for name, value in fault.items():
        setattr(liverl, name, value)
    blank = await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    assert (blank.response_mask, blank.reward_score) == ([0], 0.0)


async def test_a_row_without_a_task_is_one_rollout_s_fault_unless_it_is_the_first(
    liverl: LiveRL, engine: Engine
) -> None:
    row = v0_row(task_ref=None)
    with pytest.raises(NoTask):
        await loop_of(liverl, engine).run(SAMPLING, **row)
    await loop_of(liverl, engine).run(SAMPLING, **v0_row())
    assert (await loop_of(liverl, engine).run(SAMPLING, **row)).response_mask == [0]


async def test_an_answer_that_was_cut_off_is_asked_for_again(liverl: LiveRL, engine: Engine) -> None:
    liverl.rubbish = 1
    check(await loop_of(liverl, engine).run(SAMPLING, **v1_row()))
    assert [request["rolloutId"] for request in liverl.requests] == ["u1.s3.r0"] * 2


async def test_a_frame_that_is_none_ends_neither_the_worker_nor_what_it_can_answer(
    liverl: LiveRL, engine: Engine
) -> None:
    await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    refused = await liverl.ask({"t": "abort", "id": "no-cut"}, [])
    assert (refused.header["kind"], refused.header["status"]) == ("refused", 400)
    for bad in (
        b"rubbish",
        frames.encode({"t": "registered", "heartbeatMs": "soon"}),
        frames.encode({"t": "x", "id": []}),
    ):
        await liverl.sockets[-1].send_bytes(bad)
        check(await asyncio.wait_for(loop_of(liverl, engine).run(SAMPLING, **v1_row()), 20))


async def test_the_worker_keeps_prefixes_and_asks_for_what_it_lost(liverl: LiveRL, engine: Engine) -> None:
    await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    held = [10, 11, 12, 7, 8, EOS]
    await liverl.generate("a", "u1.s3.r0", [20], keep=6, digest=frames.digest_of(held))
    assert engine.calls[-1]["prompt_ids"] == [*held, 20]
    lost = await liverl.generate("b", "u1.s3.r0", [20], keep=6, digest=frames.digest_of([1]))
    assert lost.header["t"] == "need"


async def test_an_end_says_why_and_with_which_weights(liverl: LiveRL, engine: Engine) -> None:
    await loop_of(liverl, engine).run(SAMPLING, **v1_row())
    end = await liverl.generate("a", "s", [1])
    assert end.header["finishReason"] == "stop"
    assert end.header["spans"] == [{"version": "4", "start": 0, "end": 3}]
    engine.stop_reason = "aborted"
    assert (await liverl.generate("b", "s2", [1])).header["finishReason"] == "abort"
    refused = await liverl.generate("c", "s3", list(range(61)))
    assert (refused.header["t"], refused.header["kind"]) == ("error", "refused")


async def test_a_worker_that_lost_its_proxy_dials_in_again(liverl: LiveRL, engine: Engine) -> None:
    loop = loop_of(liverl, engine)
    await loop.run(SAMPLING, **v1_row())
    await liverl.sockets[-1].close()
    outputs = await asyncio.wait_for(loop_of(liverl, engine).run(SAMPLING, **v1_row(session_id=1)), 20)
    check(outputs)
    assert len(liverl.sockets) == 2


async def test_settings_of_one_rollout_are_not_the_next_one_s(liverl: LiveRL, engine: Engine) -> None:
    shared = {"drop_reasons": ["timeout"]}
    before = hashlib.sha256(repr(shared).encode()).hexdigest()
    await loop_of(liverl, engine, **shared).run(SAMPLING, **v1_row())
    assert hashlib.sha256(repr(shared).encode()).hexdigest() == before
