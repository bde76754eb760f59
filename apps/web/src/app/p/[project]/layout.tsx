import type { ReactNode } from "react";
import { ProjectFrame } from "#shell/project-frame.tsx";

export default function ProjectLayout({ children }: { children: ReactNode }) {
  return <ProjectFrame>{children}</ProjectFrame>;
}
