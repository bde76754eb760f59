import { AlertsPage } from "#alerts/alerts-page.tsx";

export default function Page() {
  return <AlertsPage />;
}
