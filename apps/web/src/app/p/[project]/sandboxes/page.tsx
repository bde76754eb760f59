import { SandboxesPage } from "#sandboxes/sandboxes-page.tsx";

export default function Page() {
  return <SandboxesPage />;
}
