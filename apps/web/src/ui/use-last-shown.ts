import { useState } from "react";

/** What a dialog shows: that with which it is open, and while it closes what it showed until then. Null: never open yet. */
export function useLastShown<Shown>(open: Shown | null): Shown | null {
  const [shown, setShown] = useState(open);
  if (open !== null && open !== shown) setShown(open);
  return open ?? shown;
}
