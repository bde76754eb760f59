import type { Message } from "@liverl/contract/trajectory";

const call = (name: string, args: string, id: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

/** The last one has all that a tool needs. */
export const REFERENCE_TOOLS = `[{"type": "function", "function": {"name": "edit", "description": "Replace one line.", "parameters": {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1.0}, "1": {"type": "string"}}, "required": ["line"]}}}, {"type": "function", "function": {"name": "test", "description": "Run <b>all</b> tests & report.", "parameters": {"type": "object", "properties": {}}}}, {"type": "function", "function": {"name": "submit"}}]`;

/** Conversations that a renderer must get right before it may serve: each is rendered whole and turn by turn. */
export const REFERENCE_CONVERSATIONS: readonly {
  name: string;
  tools: boolean;
  messages: readonly Message[];
}[] = [
  {
    name: "system and several turns",
    tools: false,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "  two\n\n lines \n" },
      { role: "assistant", content: "1\n2" },
      { role: "user", content: "Thanks" },
    ],
  },
  {
    name: "no system, unicode",
    tools: false,
    messages: [
      { role: "user", content: "Grüße 你好 👩‍💻 \u0000\u2028" },
      { role: "assistant", content: "é — ✓ 🙂" },
      { role: "user", content: "ok" },
    ],
  },
  {
    name: "tool calls and results",
    tools: true,
    messages: [
      { role: "system", content: "Fix the bug." },
      { role: "user", content: "src/a.js\n1 function f(a, b) {\n2   return a - b\n3 }" },
      { role: "assistant", content: "", tool_calls: [call("test", "{}", "c1")] },
      { role: "tool", tool_call_id: "c1", content: "FAIL line 2" },
      {
        role: "assistant",
        content: "I see.",
        tool_calls: [
          call(
            "edit",
            '{"line": 2, "code": "  return a + b", "big": 9007199254740993, "small": 1e-07}',
            "c2",
          ),
        ],
      },
      { role: "tool", tool_call_id: "c2", content: "ok" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Sure?" },
    ],
  },
  {
    name: "parallel tool results",
    tools: true,
    messages: [
      { role: "user", content: "both" },
      {
        role: "assistant",
        content: "",
        tool_calls: [call("test", "{}", "c1"), call("edit", '{"line": 1.0}', "c2")],
      },
      { role: "tool", tool_call_id: "c2", content: "second" },
      { role: "tool", tool_call_id: "c1", content: "first" },
      { role: "user", content: "go on" },
    ],
  },
];
