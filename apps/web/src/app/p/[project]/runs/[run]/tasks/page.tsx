import { TasksPage } from "#tasks/tasks-page.tsx";

export default function Page() {
  return <TasksPage />;
}
