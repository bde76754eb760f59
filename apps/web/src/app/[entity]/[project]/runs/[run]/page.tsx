import { TrackedRunPage } from "#runs/tracked-run-page.tsx";

/** Where W&B's client says that its run is. */
export default async function Page({
  params,
}: {
  params: Promise<{ entity: string; project: string; run: string }>;
}) {
  const { entity, project, run } = await params;
  const key = [entity, project, run].map(decodeURIComponent).join("/");
  return <TrackedRunPage source="wandb" trackerKey={key} />;
}
