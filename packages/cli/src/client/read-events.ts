import { ErrorBody } from "@liverl/contract/app-error";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { CliError, EXIT_OF_ERROR } from "#exit-code.ts";

/** Frames of a stream of the API, as they come; ends when the server ends it. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { event, data } of events.splice(0)) {
      if (event !== "error") yield JSON.parse(data);
      else throw errorOf(data);
    }
  }
}

function errorOf(data: string): CliError {
  const { error } = ErrorBody.parse(JSON.parse(data));
  return new CliError(EXIT_OF_ERROR[error.code], error.message);
}
