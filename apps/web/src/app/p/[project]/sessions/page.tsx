import { SessionsPage } from "#sessions/sessions-page.tsx";

export default function Page() {
  return <SessionsPage />;
}
