from pathlib import Path

import pytest

from liverl_verl.settings import SettingsError, load_settings, unread_names

WHOLE = {
    "run_id": "r",
    "runner_url": "http://10.0.0.1:7000",
    "runner_token": "a",
    "proxy_url": "http://10.0.0.1:7001",
    "worker_token": "b",
}


def test_command_line_before_shell_before_yaml() -> None:
    env = {"REMOTE_RETRIES": "3", "REMOTE_MAX_TOKENS": "10"}
    settings = load_settings({**WHOLE, "retries": 1, "max_tokens": 5}, {"max_tokens": 20}, env)
    assert (settings.retries, settings.max_tokens) == (3, 20)


def test_secrets_come_from_files_and_stay_out_of_texts(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret-value\n")
    yaml = {key: value for key, value in WHOLE.items() if key != "runner_token"}
    settings = load_settings({**yaml, "runner_token_path": str(token)}, None, {})
    assert settings.runner_token == "secret-value"
    assert "secret-value" not in repr(settings)


def test_a_nearer_file_of_a_secret_goes_before_a_farther_value(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("near")
    custom = {"runner_token_path": str(token)}
    env = {"LIVERL_RUNNER_TOKEN": "shell", "LIVERL_WORKER_TOKEN_PATH": str(token)}
    settings = load_settings(WHOLE, custom, env)
    assert (settings.runner_token, settings.worker_token) == ("near", "near")


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_secret_that_is_no_text_is_said_without_it(tmp_path: Path, content: bytes | None) -> None:
    token = tmp_path / "token"
    token.write_bytes(content or b"")
    path = str(token) if content else "\0"
    with pytest.raises(SettingsError, match="runner_token can not be read from"):
        load_settings({**WHOLE, "runner_token": None, "runner_token_path": path}, None, {})


def test_an_address_always_has_its_port() -> None:
    settings = load_settings(
        {**WHOLE, "proxy_url": "https://proxy.example:443/", "runner_url": "http://[::1]:9"}, None, {}
    )
    assert settings.proxy_url == "https://proxy.example:443"
    assert settings.runner_url == "http://[::1]:9"
    assert load_settings({**WHOLE, "runner_url": "https://runner"}).runner_url == "https://runner:443"


@pytest.mark.parametrize(
    ("yaml", "custom", "env", "found"),
    [
        ({}, {}, {"PROXY_SERVER_URL": "http://shell:1"}, "http://shell:1"),
        ({}, {"proxy_url": "http://cli:1"}, {"PROXY_SERVER_URL": "http://shell:1"}, "http://cli:1"),
        ({}, {"proxy_actor": "ns/name"}, {"PROXY_SERVER_URL": "http://shell:1"}, "ns/name"),
        ({}, {}, {"LIVERL_PROXY_ACTOR": "name"}, "name"),
        ({}, {}, {"LLM_PROXY_IP": "10.0.0.5:8080"}, "http://10.0.0.5:8080"),
        ({}, {}, {"LLM_PROXY_IP": "10.0.0.5", "LLM_PROXY_PORT": "81"}, "http://10.0.0.5:81"),
        ({"llm_proxy_port": 82}, {}, {"LLM_PROXY_IP": "fd00::5"}, "http://[fd00::5]:82"),
        ({}, {}, {"LLM_PROXY_IP": "[fd00::5]:83"}, "http://[fd00::5]:83"),
        # The address of a proxy whose URL is given says how agents reach it: no second proxy.
        ({}, {}, {"PROXY_SERVER_URL": "http://shell:1", "LLM_PROXY_IP": "10.0.0.5"}, "http://shell:1"),
        ({"proxy_url": None, "llm_proxy_ip": "10.0.0.6:1"}, {}, {}, "http://10.0.0.6:1"),
    ],
)
def test_the_nearest_level_says_where_the_proxy_is(
    yaml: dict[str, object], custom: dict[str, object], env: dict[str, str], found: str
) -> None:
    settings = load_settings({**WHOLE, **yaml}, custom, env)
    assert found == (settings.proxy_url or settings.proxy_actor)


def test_a_local_proxy_needs_neither_address_nor_token() -> None:
    yaml = {key: WHOLE[key] for key in ("run_id", "runner_url", "runner_token")}
    settings = load_settings({**yaml, "proxy_mode": "local"}, None, {"LLM_PROXY_IP": "10.0.0.5"})
    assert (settings.proxy_mode, settings.llm_proxy_ip, settings.proxy_url) == ("local", "10.0.0.5", None)


def test_the_trajectory_filter_by_the_names_of_its_scripts() -> None:
    env = {"TRAJ_FILTER_DROP_REASONS": "timeout, env_setup_failed"}
    assert load_settings(WHOLE, None, env).drop_reasons == ("timeout", "env_setup_failed")
    assert load_settings(WHOLE, None, {**env, "TRAJ_FILTER_ENABLE": "False"}).drop_reasons == ()
    assert load_settings(WHOLE, None, {**env, "TRAJ_FILTER_ENABLE": "1"}).drop_reasons != ()
    custom = {"drop_reasons": ["integrity_tools_changed"]}
    nearer = load_settings(WHOLE, custom, {**env, "TRAJ_FILTER_ENABLE": "0"})
    assert nearer.drop_reasons == ("integrity_tools_changed",)


@pytest.mark.parametrize(
    ("yaml", "env", "said"),
    [
        ({"run_id": None}, {}, "run_id is missing: set LIVERL_RUN_ID"),
        (
            {"proxy_url": "proxy:80"},
            {},
            "proxy_url from the agent loop's YAML is 'proxy:80': write http://host:port",
        ),
        ({"proxy_url": None}, {}, "no proxy is named: set one of PROXY_SERVER_URL, LLM_PROXY_IP"),
        ({"worker_token": None}, {}, "worker_token is missing: set LIVERL_WORKER_TOKEN"),
        (
            {},
            {"PROXY_SERVER_URL": "http://proxy/base/"},
            "proxy_url from PROXY_SERVER_URL is 'http://proxy/base/': the port is missing; write http://proxy:PORT/base",
        ),
        ({}, {"PROXY_SERVER_URL": "http://proxy:99999"}, "Port out of range 0-65535"),
        (
            {},
            {"LLM_PROXY_IP": "10.0.0.5"},
            "llm_proxy_ip from LLM_PROXY_IP is '10.0.0.5': the port is missing; write 10.0.0.5:PORT, or set LLM_PROXY_PORT",
        ),
        ({}, {"LLM_PROXY_IP": "10.0.0.5", "LLM_PROXY_PORT": "no"}, "its port 'no' is none from 1 to 65535"),
        ({}, {"LLM_PROXY_IP": "http://10.0.0.5:1/"}, "a URL goes into PROXY_SERVER_URL"),
        ({}, {"LIVERL_PROXY_ACTOR": "a/"}, "proxy_actor from LIVERL_PROXY_ACTOR is 'a/': write NAME"),
        ({}, {"LIVERL_PROXY_MODE": "lokal"}, "proxy_mode from LIVERL_PROXY_MODE is 'lokal': write server or"),
        ({"proxy_mode": "local"}, {"LLM_PROXY_IP": "10.0.0.5:80"}, "takes a free port; write its address"),
        ({}, {"REMOTE_RETRIES": "many"}, "retries from REMOTE_RETRIES is 'many'"),
        ({}, {"REMOTE_RETRIES": "-1"}, "at least 0"),
        ({}, {"REMOTE_PATIENCE_S": "nan"}, "patience_s from REMOTE_PATIENCE_S"),
        ({"retries": float("inf")}, {}, "retries from the agent loop's YAML is inf"),
        ({"runner_url": "http://runner:0"}, {}, "its port '0' is none from 1 to 65535"),
        ({}, {"TRAJ_FILTER_ENABLE": "maybe"}, "TRAJ_FILTER_ENABLE is 'maybe': write one of 1, true"),
        ({}, {"TRAJ_FILTER_DROP_REASONS": "slow"}, "'slow' is none of agent-finished, timeout"),
        ({}, {"TRAJ_FILTER_DROP_REASONS": "[1"}, "drop_reasons from TRAJ_FILTER_DROP_REASONS"),
        ({"retrys": 1}, {}, "'retrys', which is none of"),
        (
            {"runner_token": None, "runner_token_path": "/no/such"},
            {},
            "runner_token can not be read from /no/such",
        ),
    ],
)
def test_each_bad_value_is_one_clear_line(yaml: dict[str, object], env: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({**WHOLE, **yaml}, None, env)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 2


def test_names_of_other_loops_are_told() -> None:
    env = {"REMOTE_MODEL_NAME": "m", "REMOTE_RETRIES": "1", "REMOTE_AGENT_KWARGS": "{}", "HOME": "/"}
    assert unread_names(env) == ["REMOTE_AGENT_KWARGS", "REMOTE_MODEL_NAME"]
