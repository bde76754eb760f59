import { LaunchPage } from "#launch/launch-page.tsx";

export default function Page() {
  return <LaunchPage />;
}
