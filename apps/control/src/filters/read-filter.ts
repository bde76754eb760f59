import { AppError } from "@liverl/contract/app-error";
import type { FilterFields } from "@liverl/contract/filter/filter-fields";
import { type Filter, FilterError } from "@liverl/contract/filter/filter-tree";
import { parseFilter } from "@liverl/contract/filter/parse-filter";

/** The filter of a request; null matches everything. Throws BAD_REQUEST with the position of the error. */
export function readFilter(text: string | undefined, fields: FilterFields): Filter | null {
  try {
    return parseFilter(text ?? "", fields);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new AppError("BAD_REQUEST", {
      userMessage: `Invalid filter at character ${error.column}: ${error.message}`,
    });
  }
}
