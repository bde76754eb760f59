import { expect, it } from "vitest";
import { foldInput } from "#dialects/openai-responses/fold-input.ts";

it("says of an item that is given by its id what to send instead", () => {
  expect(() => foldInput([], { type: "item_reference", id: "msg_1" })).toThrow(
    expect.objectContaining({
      fault: "invalid",
      param: "input.0",
      message: expect.stringContaining("previous_response_id"),
    }),
  );
});

it("passes over items of tools that only OpenAI's servers run", () => {
  const messages: { role: string }[] = [];
  foldInput(messages, { type: "web_search_call", id: "ws_1", status: "completed" });
  expect(messages).toEqual([]);
});
