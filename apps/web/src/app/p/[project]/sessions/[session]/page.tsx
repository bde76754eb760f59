import { SessionPage } from "#sessions/session-page.tsx";

export default function Page() {
  return <SessionPage />;
}
