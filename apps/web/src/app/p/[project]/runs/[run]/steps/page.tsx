import { redirect } from "next/navigation";

export default async function Page({
  params,
}: {
  params: Promise<{ project: string; run: string }>;
}) {
  const { project, run } = await params;
  redirect(`/p/${project}/runs/${run}/steps/latest`);
}
