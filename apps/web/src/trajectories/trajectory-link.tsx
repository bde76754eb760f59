"use client";
import type { ComponentProps } from "react";
import { useOpenTrajectory } from "#trajectories/use-open-trajectory.ts";
import { Link } from "#ui/link.tsx";

/** A link to a rollout. Its data are on their way from the press on, while the page's code loads. */
export function TrajectoryLink({
  rolloutId,
  ...props
}: ComponentProps<typeof Link> & { rolloutId: string }) {
  const open = useOpenTrajectory();
  const ask = () => open({ rolloutId });
  return <Link {...props} onPointerDown={ask} onClick={ask} />;
}
