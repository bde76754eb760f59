import type { StepView } from "@liverl/contract/views";

/** What a step asked for and did not train, with the filter that lists it. Pure. */
export function prepareAskedOnly({
  step,
  mode,
  askedOnly: { elsewhere, nowhere },
}: Pick<StepView, "step" | "mode" | "askedOnly">): { text: string; filter: string }[] {
  const of = `mode = ${mode} and asked = ${step}`;
  return [
    ...(elsewhere > 0
      ? [
          {
            text: `${elsewhere} trained in another step`,
            filter: `${of} and step != none and step != ${step}`,
          },
        ]
      : []),
    ...(nowhere > 0
      ? [{ text: `${nowhere} that no update took`, filter: `${of} and step = none` }]
      : []),
  ];
}
