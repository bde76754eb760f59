"""OpenHands as its SDK's own preset makes it: terminal, file editor and task list, its prompts and its condenser.

usage: run SETTINGS    a JSON file: {url, key, model, window, events}. The task is read from stdin.

Exit codes: 0 finished, 1 it failed or was stuck, 3 the model's context was full.
"""

import json
import os
import sys
from pathlib import Path

CONTEXT_FULL = 3
# Read while it is imported, or while it starts; its commands do not inherit them.
OWN = {
    "ALLOW_SHORT_CONTEXT_WINDOWS": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OH_PERSISTENCE_DIR": "/tmp/liverl-openhands",
    "OPENHANDS_SUPPRESS_BANNER": "1",
}
# Turns and time are limited from outside.
NO_LIMIT = 1_000_000
# The proxy keeps a call open for as long as the engine needs.
PATIENCE_S = 24 * 3600
# Of the window, as other agents have it.
LARGEST_ANSWER = 32_000


def main(settings: dict) -> int:
    sys.path.insert(0, str(Path(__file__).parent / "packages"))
    os.environ.update(OWN)
    from openhands.sdk import LLM, Conversation
    from openhands.sdk.conversation.exceptions import ConversationRunError
    from openhands.sdk.llm.exceptions import LLMContextWindowExceedError
    from openhands.tools.preset.default import get_default_agent

    llm = LLM(
        usage_id="agent",
        model=f"openai/{settings['model']}",
        base_url=settings["url"],
        api_key=settings["key"],
        max_input_tokens=settings["window"],
        max_output_tokens=min(LARGEST_ANSWER, settings["window"] // 4),
        timeout=PATIENCE_S,
    )
    conversation = Conversation(
        # No browser: a sandbox has none, and no network.
        agent=get_default_agent(llm, cli_mode=True),
        workspace=os.getcwd(),
        persistence_dir=settings["events"],
        max_iteration_per_run=NO_LIMIT,
        delete_on_close=False,
    )
    for name in OWN:
        os.environ.pop(name, None)
    try:
        conversation.send_message(sys.stdin.read())
        conversation.run()
    except ConversationRunError as error:
        print(error, file=sys.stderr)
        return CONTEXT_FULL if isinstance(error.original_exception, LLMContextWindowExceedError) else 1
    finally:
        conversation.close()
    status = conversation.state.execution_status.value
    print(f"OpenHands ended: {status}")
    return 0 if status == "finished" else 1


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text())))
