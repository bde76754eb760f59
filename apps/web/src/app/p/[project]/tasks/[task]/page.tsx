import { TaskPage } from "#tasks/task-page.tsx";

export default function Page() {
  return <TaskPage />;
}
