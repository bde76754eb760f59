"""An agent on the official `anthropic` package. Every other call streams."""

import itertools
import json
import os

from anthropic import Anthropic
from ask_again import ask_again
from tools import SYSTEM, TOOLS, run_tool

client = Anthropic(
    base_url=os.environ["AGENT_BASE_URL"].removesuffix("/v1"),
    api_key=os.environ["AGENT_API_KEY"],
)
model = os.environ["AGENT_MODEL"]
tools = [
    {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
    for tool in TOOLS
]
messages = []
calls = itertools.count()


def ask():
    body = {"model": model, "system": SYSTEM, "messages": messages, "tools": tools}
    counted = client.messages.count_tokens(**body).input_tokens

    def streamed():
        with client.messages.stream(**body, max_tokens=4096) as stream:
            return stream.get_final_message()

    if next(calls) % 2 == 0:
        message = ask_again(streamed)
    else:
        message = client.messages.create(**body, max_tokens=4096)
    assert message.usage.input_tokens == counted, (counted, message.usage)
    content = [block.model_dump(exclude_none=True, exclude={"parsed_output"}) for block in message.content]
    messages.append({"role": "assistant", "content": content})
    wanted = [block for block in message.content if block.type == "tool_use"]
    if not wanted:
        return False
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": run_tool(block.name, block.input)}
        for block in wanted
    ]
    messages.append({"role": "user", "content": results})
    return True


for prompt in json.loads(os.environ["AGENT_PROMPTS"]):
    messages.append({"role": "user", "content": prompt})
    while ask():
        pass
