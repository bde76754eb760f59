// One row a dialect: an SDK's own loop, which gives back each turn as the SDK hands it out.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const MODEL = "tiny";
const ASKS = ["What is in the file?", "Why does it fail?", "Fix it, please.", "And the tests?"];
const askOf = (turn) => `${ASKS[turn % ASKS.length]} (${turn})`;

const openai = ({ baseUrl, apiKey }) => new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });

export const DIALECTS = [
  {
    name: "openai-chat",
    async loop(session, turns) {
      const client = openai(session);
      const messages = [{ role: "system", content: "You repair programs." }];
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: "user", content: askOf(turn) });
        const answer = await client.chat.completions.create({ model: MODEL, messages });
        messages.push(answer.choices[0].message);
      }
    },
  },
  {
    name: "openai-responses",
    async loop(session, turns) {
      const client = openai(session);
      const input = [];
      for (let turn = 0; turn < turns; turn++) {
        input.push({ role: "user", content: askOf(turn) });
        const stream = client.responses.stream({
          ...{ model: MODEL, instructions: "You repair programs.", input, store: false },
        });
        input.push(...(await stream.finalResponse()).output);
      }
    },
  },
  {
    name: "anthropic-messages",
    async loop({ baseUrl, apiKey }, turns) {
      // The SDK adds `/v1` itself.
      const baseURL = baseUrl.replace(/\/v1$/, "");
      const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
      const messages = [];
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: "user", content: askOf(turn) });
        const stream = client.messages.stream({
          ...{ model: MODEL, max_tokens: 1000, system: "You repair programs.", messages },
        });
        const { content } = await stream.finalMessage();
        messages.push({ role: "assistant", content });
      }
    },
  },
];

/** One streamed chat call; `gone` ends it as a client that leaves does. Gives the text. */
export async function ask(session, content, gone) {
  const stream = await openai(session).chat.completions.create(
    { model: MODEL, messages: [{ role: "user", content }], stream: true },
    { signal: gone },
  );
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}
