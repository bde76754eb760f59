import type { AppErrorCode } from "@liverl/contract/app-error";

/** What the program's end says. docs/cli-and-api.md lists them for people. */
export const EXIT = {
  ok: 0,
  /** The claim does not hold: the run failed, the preflight refuses, the verdict is bad. */
  no: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  away: 5,
  conflict: 6,
  fault: 7,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_OF_ERROR = {
  BAD_REQUEST: EXIT.usage,
  UNAUTHENTICATED: EXIT.notAllowed,
  FORBIDDEN: EXIT.notAllowed,
  NOT_FOUND: EXIT.notFound,
  CONFLICT: EXIT.conflict,
  TOO_LARGE: EXIT.usage,
  TOO_MANY_REQUESTS: EXIT.away,
  UNAVAILABLE: EXIT.away,
  INTERNAL: EXIT.fault,
} as const satisfies Record<AppErrorCode, ExitCode>;

/** Ends the program with words for people and a code for programs. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exit: ExitCode;

  constructor(exit: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}
