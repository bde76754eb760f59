import { RunConfigPage } from "#run-config/run-config-page.tsx";

export default function Page() {
  return <RunConfigPage />;
}
