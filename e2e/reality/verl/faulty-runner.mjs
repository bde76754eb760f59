// Stands between verl and the trial runner: passes everything on, and answers for chosen rollouts that infrastructure failed them.
import { createServer } from "node:http";

/** `fails(request)`: whether this rollout fails. Resolves with its URL and how many it failed. */
export async function startFaultyRunner(runnerUrl, fails) {
  const failed = new Set();
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const asked = request.method === "POST" ? JSON.parse(body.toString()) : null;
    if (asked && fails(asked)) {
      failed.add(asked.rolloutId);
      const timings = { queueS: 0, setupS: 0, agentS: 0, generateS: 0, toolS: 0, verifyS: 0 };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          ...{ rolloutId: asked.rolloutId, sessionId: "none", attempt: 1, status: "failed" },
          ...{ reward: null, termination: "infra-error", turns: 0, segments: [], timings },
          error: {
            exception_type: "InjectedError",
            exception_message: "the test failed this rollout",
            occurred_at: new Date().toISOString(),
          },
        }),
      );
      return;
    }
    try {
      const answer = await fetch(runnerUrl + request.url, {
        method: request.method,
        headers: {
          authorization: request.headers.authorization,
          "content-type": "application/json",
        },
        ...(body.length > 0 && { body }),
      });
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(await answer.text());
    } catch {
      response.writeHead(502).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    failed,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
