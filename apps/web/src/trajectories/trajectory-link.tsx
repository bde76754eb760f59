"use client";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { useOpenTrajectory } from "#trajectories/use-open-trajectory.ts";
import { Link } from "#ui/link.tsx";

/** Who stays so long on a link is about to press it; a pointer that passes over a table asks for nothing. */
const DWELL_MS = 60;

/** A link to a rollout. Its data and the page's code are on their way once the pointer or the focus rests on it, and at the latest from the press on. */
export function TrajectoryLink({
  rolloutId,
  onRest,
  ...props
}: ComponentProps<typeof Link> & {
  rolloutId: string;
  /** Where the page's code has not run yet: runs it. */
  onRest?: () => void;
}) {
  const open = useOpenTrajectory();
  const [rests, setRests] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const ask = () => open({ rolloutId });
  const leave = () => {
    clearTimeout(timer.current);
    setRests(false);
  };
  const rest = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      ask();
      setRests(true);
      onRest?.();
    }, DWELL_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Link
      {...props}
      prefetch={rests}
      onPointerEnter={rest}
      onPointerLeave={leave}
      onFocus={rest}
      onBlur={leave}
      onPointerDown={ask}
      onClick={ask}
    />
  );
}
