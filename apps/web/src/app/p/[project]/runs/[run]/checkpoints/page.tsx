import { CheckpointsPage } from "#checkpoints/checkpoints-page.tsx";

export default function Page() {
  return <CheckpointsPage />;
}
