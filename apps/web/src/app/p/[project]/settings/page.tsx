import { SettingsPage } from "#settings/settings-page.tsx";

export default function Page() {
  return <SettingsPage />;
}
