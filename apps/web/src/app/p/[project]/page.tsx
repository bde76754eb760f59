import { redirect } from "next/navigation";

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  redirect(`/p/${(await params).project}/runs`);
}
