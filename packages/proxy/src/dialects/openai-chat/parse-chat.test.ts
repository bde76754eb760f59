import { expect, it } from "vitest";
import { ModelError } from "#dialects/model-error.ts";
import { foldChat } from "#dialects/openai-chat/parse-chat.ts";

function fold(element: unknown): unknown {
  const messages: { role: string }[] = [{ role: "user" }];
  foldChat(messages, element, "", 1);
  return messages[1];
}
const turn = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const call = (given: unknown) => ({
  id: "c1",
  type: "function",
  function: { name: "read", arguments: given },
});

it("takes arguments as text or as the object that some clients send", () => {
  expect(fold(turn(call('{"a": 1}')))).toMatchObject(turn(call('{"a": 1}')));
  expect(fold(turn(call({ a: 1 })))).toMatchObject(turn(call('{"a":1}')));
  expect(fold({ role: "assistant", content: "hi", tool_calls: null })).not.toHaveProperty(
    "tool_calls.0",
  );
});

it.each([
  ["a text for a call", turn("[object Object]", call("{}")), "messages.1.tool_calls.0"],
  ["no function", turn({ id: "c1" }), "messages.1.tool_calls.0.function"],
  ["no name", turn({ function: { arguments: "{}" } }), "messages.1.tool_calls.0.function.name"],
  ["a number for arguments", turn(call(7)), "messages.1.tool_calls.0.function.arguments"],
  ["a number for an id", turn({ ...call("{}"), id: 7 }), "messages.1.tool_calls.0.id"],
  ["no list", { role: "assistant", tool_calls: {} }, "messages.1.tool_calls"],
])("names what is wrong: %s", (_, element, param) => {
  try {
    fold(element);
    throw new Error("was taken");
  } catch (error) {
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ fault: "invalid", param });
  }
});
