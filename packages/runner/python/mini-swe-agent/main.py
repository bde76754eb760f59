"""mini-swe-agent as its own Python bindings run it, with the prompts of its own `mini.yaml`.

usage: run SETTINGS    a JSON file: {url, key, model, trajectory}. The task is read from stdin.

Exit codes: 0 submitted, 1 it gave up or failed, 3 the model's context was full.
"""

import json
import os
import sys
from pathlib import Path

CONTEXT_FULL = 3
# Read while it is imported; its commands do not inherit them.
OWN = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_SILENT_STARTUP": "1",
    "MSWEA_GLOBAL_CONFIG_DIR": "/tmp/liverl-mini-swe-agent",
}


def main(settings: dict) -> int:
    sys.path.insert(0, str(Path(__file__).parent / "packages"))
    os.environ.update(OWN)
    import litellm
    import yaml
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.config import builtin_config_dir
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import LitellmModel

    for name in OWN:
        os.environ.pop(name, None)
    config = yaml.safe_load((builtin_config_dir / "mini.yaml").read_text())
    told = config["model"].pop("model_kwargs")
    model = LitellmModel(
        **config["model"],
        model_name=f"openai/{settings['model']}",
        # Where tools are given litellm looks for a gateway of its own, whose packages are not here.
        model_kwargs={
            **told,
            "api_base": settings["url"],
            "api_key": settings["key"],
            "_skip_mcp_handler": True,
        },
        cost_tracking="ignore_errors",
    )
    # Turns and time are limited from outside, and there is nobody to confirm anything.
    asked = {name: value for name, value in config["agent"].items() if name.endswith("_template")}
    agent = DefaultAgent(
        model,
        LocalEnvironment(**config["environment"]),
        **asked,
        cost_limit=0,
        output_path=Path(settings["trajectory"]),
    )
    try:
        ending = agent.run(sys.stdin.read())
    except litellm.ContextWindowExceededError as error:
        print(error, file=sys.stderr)
        return CONTEXT_FULL
    status = ending.get("exit_status")
    print(f"mini-swe-agent ended: {status}")
    return 0 if status == "Submitted" else 1


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text())))
