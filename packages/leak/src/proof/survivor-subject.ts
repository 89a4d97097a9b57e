/** The label of a scope itself, beside those of what it watched. */
export const scopeLabel = 'scope';

/** What a group of survivors is, e.g. `"state" of the closed session`. */
export function survivorSubject(kind: string, label: string): string {
  return label === scopeLabel ? `the closed ${kind}` : `"${label}" of the closed ${kind}`;
}
