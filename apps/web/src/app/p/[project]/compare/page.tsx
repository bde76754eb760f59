import { ComparePage } from "#compare/compare-page.tsx";

export default function Page() {
  return <ComparePage />;
}
