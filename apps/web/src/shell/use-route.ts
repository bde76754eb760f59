"use client";
import { useParams } from "next/navigation";

function text(value: string | string[] | undefined): string {
  return decodeURIComponent(Array.isArray(value) ? (value[0] ?? "") : (value ?? ""));
}

/** The project of this page, from the path. */
export function useProject(): string {
  return text(useParams().project);
}

/** The project and run of this page, from the path. */
export function useRunRoute(): { project: string; runId: string } {
  const params = useParams();
  return { project: text(params.project), runId: text(params.run) };
}

/** One more part of the path: `useRoutePart("step")`. */
export function useRoutePart(name: string): string {
  return text(useParams()[name]);
}
