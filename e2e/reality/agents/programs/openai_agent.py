"""An agent on the official `openai` package, over chat completions or Responses. Every other call streams."""

import itertools
import json
import os

from ask_again import ask_again
from openai import LengthFinishReasonError, OpenAI
from tools import SYSTEM, TOOLS, run_tool

client = OpenAI(base_url=os.environ["AGENT_BASE_URL"], api_key=os.environ["AGENT_API_KEY"])
model = os.environ["AGENT_MODEL"]
calls = itertools.count()


def run(name, text):
    try:
        return run_tool(name, json.loads(text))
    except ValueError as error:
        return f"error: the arguments are not JSON: {error}"


def ask_chat(messages):
    body = {
        "model": model,
        "messages": messages,
        "tools": [{"type": "function", "function": tool} for tool in TOOLS],
    }

    def streamed():
        with client.chat.completions.stream(**body, stream_options={"include_usage": True}) as stream:
            try:
                return stream.get_final_completion()
            except LengthFinishReasonError as cut:
                return cut.completion

    if next(calls) % 2 == 0:
        completion = ask_again(streamed)
    else:
        completion = client.chat.completions.create(**body)
    assert completion.usage.prompt_tokens > 0
    message = completion.choices[0].message
    messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
    for call in message.tool_calls or []:
        messages.append(
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": run(call.function.name, call.function.arguments),
            }
        )
    return bool(message.tool_calls)


def ask_responses(items):
    body = {
        "model": model,
        "instructions": SYSTEM,
        "input": items,
        "tools": [{"type": "function", "strict": False, **tool} for tool in TOOLS],
        "store": False,
    }

    def streamed():
        with client.responses.stream(**body) as stream:
            ends = ("response.completed", "response.incomplete")
            return next(event.response for event in stream if event.type in ends)

    if next(calls) % 2 == 0:
        response = ask_again(streamed)
    else:
        response = client.responses.create(**body)
    assert response.usage.input_tokens > 0
    items.extend(item.model_dump(exclude_none=True) for item in response.output)
    wanted = [item for item in response.output if item.type == "function_call"]
    for call in wanted:
        items.append(
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": run(call.name, call.arguments),
            }
        )
    return bool(wanted)


chat = os.environ["AGENT_DIALECT"] == "chat"
history = [{"role": "system", "content": SYSTEM}] if chat else []
ask = ask_chat if chat else ask_responses
for prompt in json.loads(os.environ["AGENT_PROMPTS"]):
    history.append({"role": "user", "content": prompt})
    while ask(history):
        pass
