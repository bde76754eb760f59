import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link within the app. Next would fetch every linked page ahead, again at each new step; ours are thin shells whose
 * data comes by tRPC, so there is nothing to gain.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
