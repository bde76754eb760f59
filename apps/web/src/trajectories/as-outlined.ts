import type { TurnOutline, TurnView } from "@liverl/contract/turn-view";

/** A turn's record has the mask alone; its outline knows whether an update took the rollout at all. Pure. */
export function asOutlined(
  body: TurnView,
  { trained, lossy }: Pick<TurnOutline, "trained" | "lossy">,
): TurnView {
  const isLossyOut = lossy !== null && lossy.trained === 0;
  if (body.trained === trained && !(isLossyOut && body.lossy)) return body;
  return {
    ...body,
    trained: body.trained && trained,
    ...(body.lossy && {
      lossy: isLossyOut ? body.lossy.map((one) => ({ ...one, trained: false })) : body.lossy,
    }),
  };
}
