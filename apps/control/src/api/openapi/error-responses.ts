import { type AppErrorCode, HTTP_STATUS } from "@liverl/contract/app-error";

const MEANING: Record<AppErrorCode, string> = {
  BAD_REQUEST: "The input is wrong; the message says which value, and why.",
  UNAUTHENTICATED: "There is no token, or an unknown one.",
  FORBIDDEN: "The token's scope does not open this.",
  NOT_FOUND: "There is no such run, rollout, session or file.",
  CONFLICT: "It can not be done in the present state; the message says why.",
  TOO_LARGE: "The body, or with status 431 the address, is longer than is taken.",
  TOO_MANY_REQUESTS: "Too much at once: ask again later.",
  UNAVAILABLE: "The database or the trial runner is away and comes back: ask again.",
  INTERNAL: "A fault of LiveRL; control's log has the details.",
};

const CODES = Object.keys(MEANING) as AppErrorCode[];

/** `components.responses`: one for each error code. */
export const ERROR_RESPONSES = Object.fromEntries(
  CODES.map((code) => [
    code,
    {
      description: MEANING[code],
      content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
    },
  ]),
);

/** Of an address with its query that is longer than Node reads (RFC 6585). */
const TOO_LONG_STATUS = "431";

/** What an operation may answer besides its own. Reads, too, depend on a state: of a run that is not there any more, say. */
export function errorsOf({ isAct, hasInput }: { isAct: boolean; hasInput: boolean }) {
  const codes: AppErrorCode[] = [
    ...(hasInput ? (["BAD_REQUEST", "NOT_FOUND"] as const) : []),
    ...(hasInput || isAct ? (["CONFLICT"] as const) : []),
    ...(isAct ? (["TOO_LARGE"] as const) : []),
    ...(["UNAUTHENTICATED", "FORBIDDEN", "UNAVAILABLE", "INTERNAL"] as const),
  ];
  const refer = (code: AppErrorCode) => ({ $ref: `#/components/responses/${code}` });
  return {
    ...Object.fromEntries(codes.map((code) => [String(HTTP_STATUS[code]), refer(code)])),
    [TOO_LONG_STATUS]: refer("TOO_LARGE"),
  };
}
