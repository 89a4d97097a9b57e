import { createHash, randomBytes } from 'node:crypto';

/** The content of an approval. The digest binds a decision to exactly this content. */
export interface DigestParts {
  readonly kind: string;
  readonly action: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly policy: { readonly revision: number; readonly sha256: string };
}

/** sha256 in hex over canonical JSON. A value that JSON cannot express gets a unique digest. */
export function digestOf(parts: DigestParts): string {
  const { kind, action, args, scope, policy } = parts;
  const hash = createHash('sha256');
  try {
    return hash.update(canonical([kind, action, args, scope, policy.revision, policy.sha256])).digest('hex');
  } catch {
    return hash.update(randomBytes(32)).digest('hex');
  }
}

/** JSON with sorted keys: the same value gives the same text, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
