import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link within the app. Next would fetch every linked page ahead, again at each new step. Give `prefetch` only where a
 * click is likely and the address stays the same: the page's code is there then before the click.
 * Nor does it scroll the window, which never moves here: to do so it lays the page out a second time.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} scroll={String(props.href).includes("#")} {...props} />;
}
