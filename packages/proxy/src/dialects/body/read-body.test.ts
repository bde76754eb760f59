import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type ReadBody, readBody } from "#dialects/body/read-body.ts";
import { foldInput } from "#dialects/openai-responses/fold-input.ts";
import { sentBodyOf, wholeBody } from "#sessions/sent-body.ts";

const plain = {
  listName: "messages",
  fold: (messages: { role: string }[], element: unknown) => {
    messages.push({ role: "user", content: element } as { role: string });
  },
};
const bytesOf = (value: unknown, space?: number) => Buffer.from(JSON.stringify(value, null, space));

const element = fc.record({
  role: fc.constantFrom("user", "assistant"),
  content: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"}],[{"', '\\\\"', "é🙂", "]")),
  extra: fc.jsonValue(),
});
const step = fc.record({
  added: fc.array(element, { maxLength: 3 }),
  /** Of the last elements: clients move cache marks about. */
  dropped: fc.nat(2),
  before: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  after: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  space: fc.constantFrom(undefined, 0, 2),
});

it("reads a growing body as if each were read whole", () => {
  void fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      let elements: unknown[] = [];
      let last: ReadBody[] = [];
      for (const { added, dropped, before, after, space } of steps) {
        elements = [...elements.slice(0, elements.length - dropped), ...added];
        const value = { ...before, messages: elements, ...after };
        const bytes = bytesOf(value, space);
        const grown = readBody(bytes, plain, last);
        const whole = readBody(bytes, plain, []);
        const parsed = JSON.parse(bytes.toString("utf8"));
        expect(grown.messages.map((message) => message.content)).toEqual(parsed.messages);
        expect({
          ...grown,
          shared: null,
          derived: null,
          field: null,
          fieldText: null,
          derive: null,
        }).toEqual({
          ...whole,
          shared: null,
          derived: null,
          field: null,
          fieldText: null,
          derive: null,
        });
        for (const name of grown.fields.keys()) expect(grown.field(name)).toEqual(parsed[name]);
        last = [grown];
      }
    }),
  );
});

it("parses nothing again that the last body had", () => {
  let folded = 0;
  const counting = {
    listName: "messages",
    fold: (messages: { role: string }[]) => {
      folded += 1;
      messages.push({ role: "user" });
    },
  };
  let last: ReadBody[] = [];
  for (let n = 1; n <= 50; n++) {
    const messages = Array.from({ length: n }, (_, i) => ({ role: "user", content: `turn ${i}` }));
    last = [readBody(bytesOf({ model: "x", messages, tools: [] }), counting, last)];
  }
  expect(folded).toBe(50);
});

it("joins what an assistant said over the place where the last body ended", () => {
  const reader = { listName: "input", fold: foldInput };
  const items = [
    { type: "message", role: "user", content: "Hi" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see." }] },
    { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "one" },
  ];
  for (let cut = 1; cut < items.length; cut++) {
    const first = readBody(bytesOf({ input: items.slice(0, cut) }), reader, []);
    const grown = readBody(bytesOf({ input: items }), reader, [first]);
    expect(grown.messages).toHaveLength(3);
    expect(grown.messages[1]).toMatchObject({
      role: "assistant",
      reasoning_content: "hm",
      content: "Let me see.",
      tool_calls: [{ id: "c1" }, { id: "c2" }],
    });
    expect(grown.keys).toEqual(readBody(bytesOf({ input: items }), reader, []).keys);
    // What the first body holds is not changed by the second.
    expect(first.messages).toEqual(
      readBody(bytesOf({ input: items.slice(0, cut) }), reader, []).messages,
    );
  }
});

it.each([
  "",
  "[]",
  "{",
  '{"messages": [}',
  '{"messages": [1,]}',
  '{"messages": [] "a": 1}',
  '{"a": tru}',
  '{"a": 1}x',
  '{"a" 1}',
  "{a: 1}",
  '{"a": "\u0001"}',
  '{"messages": [{"a": [}]}',
  `{"a": ${"[".repeat(10_000)}`,
])("refuses %s with a reason", (text) => {
  expect(() => readBody(Buffer.from(text), plain, [])).toThrow(/The body is not a JSON object/);
});

it("keeps a conversation's bodies as what is new in each", () => {
  void fc.assert(
    fc.property(
      fc.array(fc.array(element, { maxLength: 2 }), { minLength: 1, maxLength: 6 }),
      (turns) => {
        const bodies: ReadBody[] = [];
        let messages: unknown[] = [];
        for (const added of turns) {
          messages = [...messages, ...added];
          const bytes = bytesOf({ model: "é", messages, tools: ["🙂", "ü"] });
          const body = readBody(bytes, plain, bodies.slice(-1));
          body.callId = bodies.length;
          bodies.push(body);
        }
        const kept = bodies.map(sentBodyOf);
        for (const [i, body] of bodies.entries())
          expect(wholeBody(i, (id) => kept[id] ?? null)?.equals(body.bytes)).toBe(true);
      },
    ),
  );
});
