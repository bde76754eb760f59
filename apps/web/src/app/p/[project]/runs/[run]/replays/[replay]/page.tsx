import { ReplayPage } from "#replays/replay-page.tsx";

export default function Page() {
  return <ReplayPage />;
}
