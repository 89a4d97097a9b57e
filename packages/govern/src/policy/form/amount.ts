/** A size, or a share of the true limit. */
export type Amount = { readonly bytes: number } | { readonly ratio: number };
