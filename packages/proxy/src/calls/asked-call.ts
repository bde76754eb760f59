import type { TemplateValues } from "@liverl/contract/trajectory";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { Dialect, ModelRequest } from "#dialects/dialect.ts";
import type { Origin } from "#dialects/origin.ts";

/** A call as it came in. */
export interface AskedCall {
  dialect: Dialect;
  body: ReadBody;
  request: ModelRequest;
  origin: Origin;
  /** Equal for repeats of a call. Two subagents, or two steps of a task, may send the same bytes: they are two calls. */
  digest: string;
  /** What the chat template is told besides; left out where it is told nothing. */
  templateValues: TemplateValues | undefined;
  /** The equal call before it whose answer its client may not have received; null where there is none. */
  repeats: number | null;
}
