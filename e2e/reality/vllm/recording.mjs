// A pass-through in front of an engine: forwards everything, byte for byte, and keeps what was asked and answered.
import { createServer, request as httpRequest } from "node:http";

const RECORDED = new Set(["/inference/v1/generate", "/v1/completions"]);

export class Recording {
  /** One for each request for tokens: `{id, path, promptIds, ids, logprobs, spans, finishReason, ended}`. */
  calls = [];
  /** Ids that an abort was asked for. */
  aborts = [];
  #server;

  static async before(target) {
    const recording = new Recording();
    recording.#server = createServer((request, response) =>
      recording.#pass(target, request, response),
    );
    await new Promise((resolve) => recording.#server.listen(0, "127.0.0.1", resolve));
    recording.url = `http://127.0.0.1:${recording.#server.address().port}`;
    return recording;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Ids and log-probs of the requests that a call names, in order. */
  of(requestIds) {
    const found = requestIds.map((id) => this.calls.find((call) => call.id === id));
    return found.every(Boolean) ? found : null;
  }

  #pass(target, request, response) {
    const asked = [];
    const onward = httpRequest(
      new URL(request.url, target),
      { method: request.method, headers: { ...request.headers, host: new URL(target).host } },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        const call = this.#begin(request.url, asked, answer);
        answer.on("data", (bytes) => {
          call?.read(bytes);
          response.write(bytes);
        });
        answer.on("end", () => {
          if (call) call.record.ended = true;
          response.end();
        });
        answer.on("error", () => response.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    // Who leaves us is to be seen leaving by the engine.
    response.on("close", () => onward.destroy());
    request.on("data", (bytes) => {
      asked.push(bytes);
      onward.write(bytes);
    });
    request.on("end", () => onward.end());
  }

  #begin(path, asked, answer) {
    const body = asked.length > 0 ? JSON.parse(Buffer.concat(asked).toString("utf8")) : null;
    if (path.endsWith("abort_requests")) this.aborts.push(...(body?.request_ids ?? []));
    if (!RECORDED.has(path) || answer.statusCode !== 200 || body?.stream !== true) return null;
    const record = {
      id: body.request_id,
      path,
      salt: body.cache_salt,
      promptIds: body.token_ids ?? body.prompt,
      ...{ ids: [], logprobs: [], spans: null, finishReason: null, ended: false },
    };
    this.calls.push(record);
    let rest = "";
    const read = (bytes) => {
      const lines = (rest + bytes.toString("utf8")).split("\n");
      rest = lines.pop();
      for (const line of lines)
        if (line.startsWith("data: {")) keep(record, JSON.parse(line.slice(6)));
    };
    return { record, read };
  }
}

function keep(record, { choices }) {
  for (const choice of choices ?? []) {
    record.ids.push(...(choice.token_ids ?? []));
    const logprobs = choice.logprobs;
    record.logprobs.push(
      ...(logprobs?.content?.map(({ logprob }) => logprob) ?? logprobs?.token_logprobs ?? []),
    );
    record.spans = choice.weight_versions ?? record.spans;
    record.finishReason = choice.finish_reason ?? record.finishReason;
  }
}
