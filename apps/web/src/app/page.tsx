import { HomePage } from "#runs/home-page.tsx";

export default function Page() {
  return <HomePage />;
}
