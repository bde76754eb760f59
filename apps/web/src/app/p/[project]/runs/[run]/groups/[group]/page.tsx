import { GroupPage } from "#groups/group-page.tsx";

export default function Page() {
  return <GroupPage />;
}
