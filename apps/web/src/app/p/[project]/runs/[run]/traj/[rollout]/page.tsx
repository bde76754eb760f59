import { TrajectoryPage } from "#trajectories/trajectory-page.tsx";

export default function Page() {
  return <TrajectoryPage />;
}
