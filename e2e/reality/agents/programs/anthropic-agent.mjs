// An agent on the official `@anthropic-ai/sdk` package. Every other call streams.
import { createRequire } from "node:module";
import { join } from "node:path";
import { askAgain } from "./ask-again.mjs";
import { runTool, SYSTEM, TOOLS } from "./tools.mjs";

const { AGENT_SDKS, AGENT_BASE_URL, AGENT_API_KEY, AGENT_MODEL, AGENT_PROMPTS } = process.env;
const { Anthropic } = createRequire(join(AGENT_SDKS, "package.json"))("@anthropic-ai/sdk");
const client = new Anthropic({
  baseURL: AGENT_BASE_URL.replace(/\/v1$/, ""),
  apiKey: AGENT_API_KEY,
});
const tools = TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  input_schema: parameters,
}));
const messages = [];
let calls = 0;

async function ask() {
  const body = { model: AGENT_MODEL, max_tokens: 4096, system: SYSTEM, messages, tools };
  const { input_tokens } = await client.messages.countTokens({
    model: AGENT_MODEL,
    system: SYSTEM,
    messages,
    tools,
  });
  const message =
    calls++ % 2 === 0
      ? await askAgain(() => client.messages.stream(body).finalMessage())
      : await client.messages.create(body);
  if (message.usage.input_tokens !== input_tokens)
    throw new Error(`counted ${input_tokens} tokens, used ${message.usage.input_tokens}`);
  messages.push({ role: "assistant", content: message.content });
  const wanted = message.content.filter((block) => block.type === "tool_use");
  if (wanted.length === 0) return false;
  messages.push({
    role: "user",
    content: wanted.map(({ id, name, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: runTool(name, input),
    })),
  });
  return true;
}

for (const prompt of JSON.parse(AGENT_PROMPTS)) {
  messages.push({ role: "user", content: prompt });
  while (await ask());
}
