import { ProjectTasksPage } from "#tasks/project-tasks-page.tsx";

export default function Page() {
  return <ProjectTasksPage />;
}
