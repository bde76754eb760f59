import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { postWebhook } from "#alerts/webhooks/post-webhook.ts";
import { startWebhookReceiver, type WebhookReceiver } from "#testing/webhook-receiver.ts";

const ALLOWED = { allowed: ["127.0.0.1"] };

describe("postWebhook", () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    Object.assign(receiver, { answer: null, bodies: [], paths: [] });
  });

  test("delivers through the allow-list, and nothing without it", async () => {
    expect(await postWebhook(receiver.url, { hello: 1 }, { allowed: [] })).toMatchObject({
      ...{ isDelivered: false, isFinal: true },
      error: expect.stringContaining("not on the internet"),
    });
    expect(receiver.paths).toEqual([]);
    expect(await postWebhook(receiver.url, { hello: 1 }, ALLOWED)).toEqual({ isDelivered: true });
    expect(receiver.bodies).toEqual([{ hello: 1 }]);
  });

  test("connects to the address that was looked at, whatever the name says later", async () => {
    const url = receiver.url.replace("127.0.0.1", "rebound.invalid");
    const resolve = async () => ["127.0.0.1"];
    expect(await postWebhook(url, {}, { ...ALLOWED, resolve })).toEqual({ isDelivered: true });
  });

  test("follows no redirect", async () => {
    receiver.answer = (request, response) => {
      if (request.url === "/hook") response.writeHead(302, { location: "/inside" });
      response.end();
    };
    expect(await postWebhook(receiver.url, {}, ALLOWED)).toMatchObject({
      ...{ isDelivered: false, isFinal: true },
      error: expect.stringContaining("302"),
    });
    expect(receiver.paths).toEqual(["/hook"]);
  });

  test.each([
    [500, false],
    [429, false],
    [408, false],
    [404, true],
    [410, true],
  ])("an answer of %d is final: %s", async (status, isFinal) => {
    receiver.answer = (_, response) => response.writeHead(status).end("why it is so");
    const posted = await postWebhook(receiver.url, {}, ALLOWED);
    expect(posted).toEqual({
      ...{ isDelivered: false, isFinal },
      error: `It answered ${status}: why it is so.`,
    });
  });

  test("a receiver that is silent, endless or away is tried again later", async () => {
    receiver.answer = () => undefined;
    expect(await postWebhook(receiver.url, {}, { ...ALLOWED, timeoutMs: 300 })).toEqual({
      ...{ isDelivered: false, isFinal: false, error: "It did not answer in time." },
    });
    receiver.answer = (_, response) => {
      response.writeHead(500);
      const more = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.on("close", () => clearInterval(more));
    };
    const endless = await postWebhook(receiver.url, {}, ALLOWED);
    expect(endless).toMatchObject({ isFinal: false });
    const closed = await startWebhookReceiver();
    await closed.close();
    expect(await postWebhook(closed.url, {}, ALLOWED)).toMatchObject({
      ...{ isDelivered: false, isFinal: false },
      error: expect.stringContaining("could not be reached"),
    });
  });
});
