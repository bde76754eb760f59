import type { FilterFields } from "@liverl/contract/filter/filter-fields";
import { type Filter, FilterError } from "@liverl/contract/filter/filter-tree";
import { parseFilter } from "@liverl/contract/filter/parse-filter";

/** The filter of a text, or what is wrong with it. */
export function readFilterText(
  text: string,
  fields: FilterFields,
): { filter: Filter | null; fault: FilterError | null } {
  try {
    return { filter: parseFilter(text, fields), fault: null };
  } catch (error) {
    if (error instanceof FilterError) return { filter: null, fault: error };
    throw error;
  }
}

/** The text with the fault's words replaced by what was probably meant; null where nothing is known. */
export function mendFault(text: string, fault: FilterError): string | null {
  if (fault.suggestion === null) return null;
  const from = fault.column - 1;
  return text.slice(0, from) + fault.suggestion + text.slice(from + fault.length);
}
