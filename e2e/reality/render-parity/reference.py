"""What `transformers` makes of the same templates and conversations.

usage: reference.py TEMPLATES CONVERSATIONS SNIPPETS WORK

Reads WORK/wire.jsonl and the model folders WORK/models/NAME that the other side wrote; writes
WORK/reference-{templates,snippets,prompts}.jsonl.
"""

import datetime
import json
import pathlib
import sys

import transformers
import transformers.utils.chat_template_utils as chat_template_utils
from transformers import PreTrainedTokenizerFast
from transformers.utils.chat_template_utils import _compile_jinja_template


class FixedDate(datetime.datetime):
    """Templates print today's date: both sides are told the same one."""

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 2, 3, 4, 5, 6)


def outcome(render):
    try:
        return {"text": render()}
    except Exception as error:  # A template may refuse in any way, and so may jinja2.
        return {"refused": f"{type(error).__name__}: {error}"}


def write(path, results):
    with path.open("w", encoding="utf-8") as out:
        for result in results:
            out.write(json.dumps(result) + "\n")


def read(path):
    return path.read_text(encoding="utf-8").splitlines()


def render_templates(templates, conversations):
    """Each template with each conversation as it stands, with and without the generation prompt."""
    for path in sorted(templates.glob("*.jinja")):
        compiled = _compile_jinja_template(path.read_text(encoding="utf-8"))
        for line in conversations:
            for prompt in (False, True):
                conversation = json.loads(line)
                values = {
                    "bos_token": "<BOS>",
                    "eos_token": "<EOS>",
                    "messages": conversation["messages"],
                    "tools": conversation["tools"],
                    "documents": None,
                    "add_generation_prompt": prompt,
                    **conversation["kwargs"],
                }
                case = [path.stem, conversation["name"], prompt]
                yield {"case": case, **outcome(lambda: compiled.render(**values))}


def render_snippets(snippets):
    for line in snippets:
        snippet = json.loads(line)
        render = lambda: _compile_jinja_template(snippet["source"]).render(**snippet["values"])
        yield {"case": [snippet["source"]], **outcome(render)}


def as_vllm_does(message, parse_arguments):
    """vLLM joins text parts, takes no content as empty text, and parses the arguments of calls."""
    message = dict(message)
    content = message.get("content")
    if content is None:
        message["content"] = ""
    elif isinstance(content, list):
        message["content"] = "\n".join(part["text"] for part in content)
    if parse_arguments:
        message["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in message.get("tool_calls", [])
        ] or None
    return message


def fold(messages):
    """Later system messages as text of the user's turn at their place, where a template takes only the first."""
    folded = []
    for at, message in enumerate(messages):
        if message["role"] == "system" and at > 0:
            message = {"role": "user", "content": message["content"], "folded": True}
        before = folded[-1] if folded else None
        joins = before and before["role"] == message["role"] == "user"
        if joins and (before.get("folded") or message.get("folded")):
            text = before["content"] + "\n\n" + message["content"]
            folded[-1] = {**before, **message, "content": text}
            folded[-1]["folded"] = before.get("folded", False) and message.get("folded", False)
        else:
            folded.append(dict(message))
    return [{key: value for key, value in message.items() if key != "folded"} for message in folded]


def load_tokenizer(folder):
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    names = {name: config[name] for name in ("bos_token", "eos_token", "pad_token") if config.get(name)}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), **names)
    tokenizer.chat_template = (folder / "chat_template.jinja").read_text(encoding="utf-8")
    added = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    tokenizer.chat_control_tokens = [token["content"] for token in added]
    return tokenizer


def prompt_of(tokenizer, conversation, messages):
    prompt = {"tools": conversation["tools"], "add_generation_prompt": True}
    text = tokenizer.apply_chat_template(messages, tokenize=False, **prompt)
    safe = tokenizer.apply_chat_template(
        messages, tokenize=True, return_dict=False, sanitize_control_tokens=True, **prompt
    )
    return {"text": text, "ids": tokenizer.encode(text, add_special_tokens=False), "split": safe}


def render_prompts(work):
    """Prompts of model folders, as vLLM asks for them, with two encodings: all of the text, and with given text split off."""
    for folder in sorted((work / "models").iterdir()):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        tokenizer = load_tokenizer(folder)
        for line in read(work / "wire.jsonl"):
            conversation = json.loads(line)
            result = {}
            for parse_arguments in (True, False):
                messages = [as_vllm_does(message, parse_arguments) for message in conversation["messages"]]
                if not meta["takesLateSystem"]:
                    messages = fold(messages)
                try:
                    result = prompt_of(tokenizer, conversation, messages)
                    break
                except Exception as error:
                    result = {"refused": f"{type(error).__name__}: {error}"}
            yield {"case": [folder.name, conversation["name"]], **result}


def main():
    templates, conversations, snippets, work = map(pathlib.Path, sys.argv[1:])
    chat_template_utils.datetime = FixedDate
    write(work / "reference-templates.jsonl", render_templates(templates, read(conversations)))
    write(work / "reference-snippets.jsonl", render_snippets(read(snippets)))
    chat_template_utils.datetime = datetime.datetime
    write(work / "reference-prompts.jsonl", render_prompts(work))
    (work / "versions.json").write_text(json.dumps({"transformers": transformers.__version__}))


if __name__ == "__main__":
    main()
