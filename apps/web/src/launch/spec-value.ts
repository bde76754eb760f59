/** What a place of a spec may hold. */
export type SpecValue =
  | string
  | number
  | boolean
  | null
  | readonly SpecValue[]
  | { readonly [key: string]: SpecValue };
