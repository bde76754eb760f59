import { RunsPage } from "#runs/runs-page.tsx";

export default function Page() {
  return <RunsPage />;
}
