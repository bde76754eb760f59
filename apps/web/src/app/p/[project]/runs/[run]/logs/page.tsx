import { LogsPage } from "#logs/logs-page.tsx";

export default function Page() {
  return <LogsPage />;
}
