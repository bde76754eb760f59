import { MetricsPage } from "#metrics/metrics-page.tsx";

export default function Page() {
  return <MetricsPage />;
}
