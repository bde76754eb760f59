import type { Message } from "@liverl/contract/trajectory";

const call = (name: string, args: string, id: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

/** Each has what every template needs. */
export const REFERENCE_TOOLS = `[{"type": "function", "function": {"name": "edit", "description": "Replace one line.", "parameters": {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1.0}, "1": {"type": "string"}}, "required": ["line"]}}}, {"type": "function", "function": {"name": "test", "description": "Run <b>all</b> tests & report.", "parameters": {"type": "object", "properties": {}}}}, {"type": "function", "function": {"name": "submit", "description": "Finish."}}]`;

/** The least that counts as tools. */
export const STUB_TOOLS = `[{"type": "function", "function": {"name": "t", "description": "", "parameters": {"type": "object", "properties": {}}}}]`;

/** Each content must stand in its place. */
export const LATE_SYSTEM: readonly Message[] = [
  { role: "system", content: "first-7" },
  { role: "user", content: "second-7" },
  { role: "assistant", content: "third-7" },
  { role: "system", content: "fourth-7" },
  { role: "user", content: "fifth-7" },
];

export interface ReferenceConversation {
  name: string;
  tools: boolean;
  /** Where an assistant thinks before others speak. */
  thought: "none" | "in-tool-cycle" | "over-user-turns";
  messages: readonly Message[];
}

/** Conversations that a renderer must get right before it may serve: each is rendered whole and turn by turn. */
export const REFERENCE_CONVERSATIONS: readonly ReferenceConversation[] = [
  {
    name: "system and several turns",
    tools: false,
    thought: "none",
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
    thought: "none",
    messages: [
      { role: "user", content: "Grüße 你好 👩‍💻 \u0000\u2028" },
      { role: "assistant", content: "é — ✓ 🙂" },
      { role: "user", content: "ok" },
    ],
  },
  {
    name: "tool calls and results",
    tools: true,
    thought: "none",
    messages: [
      { role: "system", content: "Fix the bug." },
      { role: "user", content: "src/a.js\n1 function f(a, b) {\n2   return a - b\n3 }" },
      { role: "assistant", content: "", tool_calls: [call("test", "{}", "call00001")] },
      { role: "tool", tool_call_id: "call00001", content: "FAIL line 2" },
      {
        role: "assistant",
        content: "I see.",
        tool_calls: [
          call(
            "edit",
            '{"line": 2, "code": "  return a + b", "big": 9007199254740993, "small": 1e-07}',
            "call00002",
          ),
        ],
      },
      { role: "tool", tool_call_id: "call00002", content: "ok" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Sure?" },
    ],
  },
  {
    name: "parallel tool results",
    tools: true,
    thought: "none",
    messages: [
      { role: "user", content: "both" },
      {
        role: "assistant",
        content: "",
        tool_calls: [call("test", "{}", "call00001"), call("edit", '{"line": 1.0}', "call00002")],
      },
      { role: "tool", tool_call_id: "call00002", content: "second" },
      { role: "tool", tool_call_id: "call00001", content: "first" },
      { role: "user", content: "go on" },
    ],
  },
  {
    name: "tool results without parallel calls",
    tools: true,
    thought: "none",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: "", tool_calls: [call("test", '{"a": 1}', "call00001")] },
      { role: "tool", tool_call_id: "call00001", content: "ok\n" },
      { role: "assistant", content: "", tool_calls: [call("edit", '{"line": 3}', "call00002")] },
      { role: "tool", tool_call_id: "call00002", content: "" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "more" },
    ],
  },
  {
    name: "thought between tool calls",
    tools: true,
    thought: "in-tool-cycle",
    messages: [
      { role: "user", content: "q" },
      {
        role: "assistant",
        content: "",
        reasoning_content: "first thought",
        tool_calls: [call("test", "{}", "call00001")],
      },
      { role: "tool", tool_call_id: "call00001", content: "FAIL" },
      {
        role: "assistant",
        content: "",
        reasoning_content: "second\n\nthought",
        tool_calls: [call("edit", '{"line": 1}', "call00002")],
      },
      { role: "tool", tool_call_id: "call00002", content: "ok" },
    ],
  },
  {
    name: "thought before user turns",
    tools: false,
    thought: "over-user-turns",
    messages: [
      { role: "user", content: "q1" },
      { role: "assistant", content: "a1", reasoning_content: "thought one" },
      { role: "user", content: "q2" },
      { role: "assistant", content: "a2", reasoning_content: "thought two" },
      { role: "user", content: "q3" },
    ],
  },
];
