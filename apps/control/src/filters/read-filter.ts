import { AppError } from "@liverl/contract/app-error";
import type { FilterFields } from "@liverl/contract/filter/filter-fields";
import { type Filter, FilterError } from "@liverl/contract/filter/filter-tree";
import { parseFilter } from "@liverl/contract/filter/parse-filter";

/** A filter of a request; null matches everything. What is no filter is the caller's fault, and says at which column. */
export function readFilter(text: string | undefined, fields: FilterFields): Filter | null {
  try {
    return parseFilter(text ?? "", fields);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new AppError("BAD_REQUEST", {
      userMessage: `The filter has a fault at column ${error.column}: ${error.message}`,
    });
  }
}
