from pathlib import Path

import pytest

from liverl_verl.settings import SettingsError, load_settings

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


def test_an_address_always_has_its_port() -> None:
    settings = load_settings(
        {**WHOLE, "proxy_url": "https://proxy.example/", "runner_url": "http://[::1]:9"}, None, {}
    )
    assert settings.proxy_url == "https://proxy.example:443"
    assert settings.runner_url == "http://[::1]:9"


def test_the_trajectory_filter_by_the_names_of_its_scripts() -> None:
    env = {"TRAJ_FILTER_DROP_REASONS": "timeout, env_setup_failed"}
    assert load_settings(WHOLE, None, env).drop_reasons == ("timeout", "env_setup_failed")
    assert load_settings(WHOLE, None, {**env, "TRAJ_FILTER_ENABLE": "False"}).drop_reasons == ()


@pytest.mark.parametrize(
    ("yaml", "env", "said"),
    [
        ({"run_id": None}, {}, "run_id is missing: set LIVERL_RUN_ID"),
        (
            {"proxy_url": "proxy:80"},
            {},
            "proxy_url from the agent loop's YAML is 'proxy:80': write http://host:port",
        ),
        ({}, {"REMOTE_RETRIES": "many"}, "retries from REMOTE_RETRIES is 'many'"),
        ({}, {"REMOTE_RETRIES": "-1"}, "at least 0"),
        ({}, {"REMOTE_PATIENCE_S": "nan"}, "patience_s from REMOTE_PATIENCE_S"),
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
