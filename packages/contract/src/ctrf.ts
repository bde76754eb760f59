import { z } from "zod";

/** Common Test Report Format, ctrf.io: durations in ms. Harbor's tasks write it beside their reward. */
export const Ctrf = z.looseObject({
  results: z.looseObject({
    tests: z.array(
      z.looseObject({
        name: z.string(),
        status: z.string(),
        duration: z.number().nullish().catch(null),
        message: z.string().nullish().catch(null),
        trace: z.string().nullish().catch(null),
      }),
    ),
  }),
});
export type Ctrf = z.infer<typeof Ctrf>;
