import { RunEventsPage } from "#run-events/run-events-page.tsx";

export default function Page() {
  return <RunEventsPage />;
}
