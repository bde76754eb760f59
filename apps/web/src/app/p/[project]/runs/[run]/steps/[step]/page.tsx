import { StepPage } from "#steps/step-page.tsx";

export default function Page() {
  return <StepPage />;
}
