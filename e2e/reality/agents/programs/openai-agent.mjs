// An agent on the official `openai` package, over chat completions or Responses. Every other call streams.
import { createRequire } from "node:module";
import { join } from "node:path";
import { askAgain } from "./ask-again.mjs";
import { runTool, SYSTEM, TOOLS } from "./tools.mjs";

const { AGENT_SDKS, AGENT_DIALECT, AGENT_BASE_URL, AGENT_API_KEY, AGENT_MODEL, AGENT_PROMPTS } =
  process.env;
const { OpenAI } = createRequire(join(AGENT_SDKS, "package.json"))("openai");
const client = new OpenAI({ baseURL: AGENT_BASE_URL, apiKey: AGENT_API_KEY });
let calls = 0;

function run(name, text) {
  try {
    return runTool(name, JSON.parse(text));
  } catch (error) {
    return `error: the arguments are not JSON: ${error.message}`;
  }
}

async function askChat(messages) {
  const tools = TOOLS.map((tool) => ({ type: "function", function: tool }));
  const body = { model: AGENT_MODEL, messages, tools };
  const completion =
    calls++ % 2 === 0
      ? await askAgain(() =>
          client.chat.completions
            .stream({ ...body, stream_options: { include_usage: true } })
            .finalChatCompletion(),
        )
      : await client.chat.completions.create(body);
  if (!(completion.usage?.prompt_tokens > 0)) throw new Error("no usage");
  const [{ message }] = completion.choices;
  messages.push(message);
  for (const { id, function: f } of message.tool_calls ?? [])
    messages.push({ role: "tool", tool_call_id: id, content: run(f.name, f.arguments) });
  return (message.tool_calls ?? []).length > 0;
}

async function askResponses(input) {
  const tools = TOOLS.map((tool) => ({ type: "function", strict: false, ...tool }));
  const body = { model: AGENT_MODEL, instructions: SYSTEM, input, tools, store: false };
  const response =
    calls++ % 2 === 0
      ? await askAgain(() => client.responses.stream(body).finalResponse())
      : await client.responses.create(body);
  if (!(response.usage?.input_tokens > 0)) throw new Error("no usage");
  const wanted = response.output.filter((item) => item.type === "function_call");
  input.push(...response.output);
  for (const { call_id, name, arguments: text } of wanted)
    input.push({ type: "function_call_output", call_id, output: run(name, text) });
  return wanted.length > 0;
}

const history = AGENT_DIALECT === "chat" ? [{ role: "system", content: SYSTEM }] : [];
const ask = AGENT_DIALECT === "chat" ? askChat : askResponses;
for (const prompt of JSON.parse(AGENT_PROMPTS)) {
  history.push({ role: "user", content: prompt });
  while (await ask(history));
}
