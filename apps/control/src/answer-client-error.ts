import type { Socket } from "node:net";
import type { AppErrorCode, ErrorBody } from "@liverl/contract/app-error";

interface Answer {
  status: string;
  code: AppErrorCode;
  message: string;
}
const TOO_LONG: Answer = {
  status: "431 Request Header Fields Too Large",
  code: "TOO_LARGE",
  message: "The address with its query, or the headers, are longer than is read: ask for less.",
};
const TOO_SLOW: Answer = {
  status: "408 Request Timeout",
  code: "BAD_REQUEST",
  message: "The request did not come to its end in time: send it again.",
};
const NO_HTTP: Answer = {
  status: "400 Bad Request",
  code: "BAD_REQUEST",
  message: "This is no HTTP request.",
};

/** What Node can not read as a request reaches no route: it is refused here, in the shape of every other error. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (socket.writable) socket.write(textOf(answerOf(error.code)));
  socket.destroy(error);
}

function answerOf(code: string | undefined): Answer {
  if (code === "HPE_HEADER_OVERFLOW") return TOO_LONG;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? TOO_SLOW : NO_HTTP;
}

function textOf({ status, code, message }: Answer): string {
  const body = JSON.stringify({ error: { code, message } } satisfies ErrorBody);
  const headers = [
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");
}
