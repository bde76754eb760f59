import { OverviewPage } from "#overview/overview-page.tsx";

export default function Page() {
  return <OverviewPage />;
}
