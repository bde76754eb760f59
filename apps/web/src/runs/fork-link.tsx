import type { ForkLink as Fork } from "@liverl/contract/run";
import { runHref } from "#shell/links.ts";
import { Link } from "#ui/link.tsx";

/** The other end of a fork, by its id: names are not unique. */
export function ForkLink({ fork }: { fork: Fork }) {
  const what = fork.how === "weights" ? "the weights" : "the checkpoint";
  return (
    <Link
      href={runHref(fork.project, fork.id)}
      className="lnk m"
      title={`from ${what} of step ${fork.step}`}
    >
      {fork.id}
    </Link>
  );
}
