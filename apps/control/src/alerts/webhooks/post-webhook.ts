import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { AppError } from "@liverl/contract/app-error";
import { type Place, placeOfWebhook, type Resolve } from "#alerts/webhooks/webhook-guard.ts";

type Posted =
  | { isDelivered: true }
  /** `isFinal`: another attempt would say the same. */
  | { isDelivered: false; isFinal: boolean; error: string };

const TIMEOUT_MS = 10_000;
/** Of an answer: enough of it to be told why. */
const MOST_SAID = 200;

/** Sends one JSON body. Follows no redirect and reads little of the answer. Never throws. */
export async function postWebhook(
  url: string,
  body: unknown,
  options: { allowed: readonly string[]; resolve?: Resolve; timeoutMs?: number },
): Promise<Posted> {
  try {
    const target = new URL(url);
    const place = await placeOfWebhook(target, options.allowed, options.resolve);
    const { status, said } = await post(target, place, body, options.timeoutMs ?? TIMEOUT_MS);
    if (status >= 200 && status < 300) return { isDelivered: true };
    if (status >= 300 && status < 400)
      return failed(
        `It answered ${status}: redirects are not followed, give the last address.`,
        true,
      );
    const isBusy = status === 408 || status === 429 || status >= 500;
    return failed(`It answered ${status}${said ? `: ${said}` : ""}.`, !isBusy);
  } catch (error) {
    if (error instanceof AppError) return failed(error.userMessage, error.code === "FORBIDDEN");
    return failed(error instanceof Error ? wordsOf(error) : String(error), false);
  }
}

const failed = (error: string, isFinal: boolean): Posted => ({
  isDelivered: false,
  isFinal,
  error,
});

const wordsOf = (error: Error) =>
  error.name === "TimeoutError" || error.name === "AbortError"
    ? "It did not answer in time."
    : `It could not be reached: ${error.message || error.name}.`;

function post(
  url: URL,
  place: Place,
  body: unknown,
  timeoutMs: number,
): Promise<{ status: number; said: string }> {
  const text = Buffer.from(JSON.stringify(body));
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: "POST",
        // No pool: a connection is to the address that was checked for this very request.
        agent: false,
        lookup: (_host, options, found) =>
          options.all ? found(null, [place]) : found(null, place.address, place.family),
        headers: {
          "content-type": "application/json",
          "content-length": text.byteLength,
          "user-agent": "LiveRL",
        },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (response) => {
        let said = "";
        const end = () => {
          resolve({ status: response.statusCode ?? 0, said: said.slice(0, MOST_SAID).trim() });
          response.destroy();
        };
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          said += part;
          if (said.length >= MOST_SAID) end();
        });
        response.on("end", end);
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}
