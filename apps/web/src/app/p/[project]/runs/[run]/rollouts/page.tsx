import { RolloutsPage } from "#rollouts/rollouts-page.tsx";

export default function Page() {
  return <RolloutsPage />;
}
