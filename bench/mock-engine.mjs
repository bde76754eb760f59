// A stand-in for an engine that takes no time: `/v1/chat/completions` for peers, `/inference/v1/generate` and the token form of
// `/v1/completions` for us, `/v1/completions` for both. Bodies are looked through, not parsed, so that its time is no part of what
// is measured. `--words FILE` (JSON, ids) is what token answers are drawn from, by the request's seed; `--log` keeps what was
// answered under GET /log, `{"<request id>": [ids]}`. `--tokens N` a turn (32); `--turns FILE` (JSON, rows of ids) gives whole turns to choose from instead, one after the other with `--in-order`. Prints its URL when it listens.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    words: { type: "string" },
    turns: { type: "string" },
    tokens: { type: "string", default: "32" },
    "in-order": { type: "boolean" },
    log: { type: "boolean" },
  },
});
const TOKENS = Number(values.tokens);
const LARGEST_PROMPT = 262_144;
const words = values.words ? JSON.parse(readFileSync(values.words, "utf8")) : [];
const turns = values.turns ? JSON.parse(readFileSync(values.turns, "utf8")) : null;
const log = new Map();
let calls = 0;
let drawn = 0;

// Ids depend on their place alone, so that a prompt that extends another extends its ids, too: peers compare them.
const WIDTH = 6;
const ALL_IDS = Array.from(
  { length: LARGEST_PROMPT + TOKENS },
  (_, i) => 10_000 + ((i * 7919) % 80_000),
).join(",");
const idsOf = (from, count) => `[${ALL_IDS.slice(from * WIDTH, (from + count) * WIDTH - 1)}]`;
const TEXT = "abc ".repeat(TOKENS);
const LOGPROB = -0.25;
const CHAT_LOGPROBS = JSON.stringify({
  content: Array.from({ length: TOKENS }, () => ({
    token: "abc ",
    logprob: LOGPROB,
    bytes: [97, 98, 99, 32],
    top_logprobs: [],
  })),
});

/** What stands right after `"name":` outside of any string; JSON escapes the quotes inside of them. */
function valueAfter(body, name) {
  const at = body.indexOf(`"${name}":`);
  return at < 0 ? "" : body.toString("latin1", at + name.length + 3, at + name.length + 15).trim();
}
const asks = (body, name) => /^(?:true|[1-9])/.test(valueAfter(body, name));

function chat(body) {
  const prompt = Math.min(LARGEST_PROMPT, body.length >> 2);
  const logprobs = asks(body, "logprobs") ? CHAT_LOGPROBS : "null";
  const withIds = asks(body, "return_token_ids");
  const answerIds = withIds ? `,"token_ids":${idsOf(prompt, TOKENS)}` : "";
  const promptIds = withIds ? `,"prompt_token_ids":${idsOf(0, prompt)}` : "";
  const usage = `{"prompt_tokens":${prompt},"completion_tokens":${TOKENS},"total_tokens":${prompt + TOKENS}}`;
  const head = `"id":"chatcmpl-${calls}","created":1,"model":"mock"`;
  return `{${head},"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${TEXT}"},"logprobs":${logprobs},"finish_reason":"stop"${answerIds}}],"usage":${usage}${promptIds}}`;
}

/** The body without its prompt's ids. */
function withoutPrompt(body, name) {
  const from = body.indexOf(`"${name}":[`) + name.length + 4;
  const to = body.indexOf("]", from);
  return JSON.parse(body.toString("utf8", 0, from) + body.toString("utf8", to));
}

/** Drawn by the seed alone, so that a call that is asked again gets the same. */
function draw(seed, stopIds, count) {
  if (turns && values["in-order"])
    return [...turns[drawn++ % turns.length], ...stopIds.slice(0, 1)];
  if (turns) return [...turns[(seed >>> 3) % turns.length], ...stopIds.slice(0, 1)];
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const ids = [];
  while (ids.length < count) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    ids.push(words[(state >>> 8) % words.length]);
  }
  return [...ids, stopIds[0] ?? words[0]];
}
const logprobOf = (id) => -((id % 97) + 1) / 64;

function answered(requestId, ids) {
  if (values.log) log.set(requestId, ids);
}

function generate(body) {
  const {
    request_id: requestId,
    sampling_params: sampling,
    stream,
  } = withoutPrompt(body, "token_ids");
  const ids = draw(
    sampling.seed,
    sampling.stop_token_ids ?? [],
    Math.min(TOKENS, sampling.max_tokens - 1),
  );
  answered(requestId, ids);
  const part = (from, to, last) =>
    JSON.stringify({
      request_id: requestId,
      choices: [
        {
          index: 0,
          token_ids: ids.slice(from, to),
          logprobs: {
            content: ids.slice(from, to).map((id) => ({ token_id: id, logprob: logprobOf(id) })),
          },
          finish_reason: last ? "stop" : null,
          ...(last && { weight_versions: [{ version: "1", start: 0, end: ids.length }] }),
        },
      ],
    });
  if (!stream) return part(0, ids.length, true);
  return `data: ${part(0, 1, false)}\n\ndata: ${part(1, ids.length, true)}\n\ndata: [DONE]\n\n`;
}

function completion(body) {
  const { request_id: requestId, stream, ...sampling } = withoutPrompt(body, "prompt");
  const ids = draw(
    sampling.seed ?? 0,
    sampling.stop_token_ids ?? [],
    Math.min(TOKENS, (sampling.max_tokens ?? 16) - 1),
  );
  answered(requestId, ids);
  const text = JSON.stringify({
    id: `cmpl-${requestId}`,
    object: "text_completion",
    created: 1,
    model: "mock",
    choices: [
      {
        index: 0,
        text: "",
        token_ids: ids,
        logprobs: {
          tokens: ids.map((id) => `token_id:${id}`),
          token_logprobs: ids.map(logprobOf),
          top_logprobs: null,
          text_offset: ids.map(() => 0),
        },
        finish_reason: "stop",
        stop_reason: null,
      },
    ],
  });
  return stream ? `data: ${text}\n\ndata: [DONE]\n\n` : text;
}

const POST = {
  "/v1/chat/completions": chat,
  "/v1/completions": completion,
  "/inference/v1/generate": generate,
  "/inference/v1/abort_requests": () => "{}",
};
const MODEL = `{"id":"mock","object":"model","created":1,"max_model_len":${LARGEST_PROMPT}}`;
const GET = {
  "/v1/models": () => `{"object":"list","data":[${MODEL}]}`,
  "/weight_info": () => '{"weight_version":"1"}',
  "/log": () => JSON.stringify(Object.fromEntries(log)),
};

const server = createServer(async (request, response) => {
  const path = request.url.split("?")[0];
  const parts = [];
  for await (const part of request) parts.push(part);
  if (request.method !== "POST") {
    response.setHeader("content-type", "application/json");
    return response.end((GET[path] ?? (() => "{}"))());
  }
  const answer = POST[path];
  if (!answer) {
    response.statusCode = 404;
    return response.end('{"error":{"message":"not found"}}');
  }
  calls += 1;
  const body = Buffer.concat(parts);
  const text = answer(body);
  response.writeHead(200, {
    "content-type": text.startsWith("data: ") ? "text/event-stream" : "application/json",
  });
  response.end(text);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`),
);
