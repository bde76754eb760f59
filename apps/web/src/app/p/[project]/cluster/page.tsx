import { ClusterPage } from "#cluster/cluster-page.tsx";

export default function Page() {
  return <ClusterPage />;
}
