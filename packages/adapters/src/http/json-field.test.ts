import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonField, WantedFields } from './json-field.ts';

const names = ['id', 'chat.threadId', 'chat.id', 'größe'];

type Json = string | number | readonly Json[] | { readonly [key: string]: Json };

const key = fc.constantFrom('id', 'chat', 'threadId', 'größe', 'a"b', 'c\\');
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: fc.constantFrom('"', '\\', 'x', 'ö', '{', ',', ':') }),
    fc.integer(),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
  ),
}));

/** The first wanted field in the order of the text. */
function wantedIn(value: Json, path: readonly string[] = []): string | undefined {
  if (typeof value !== 'object') {
    const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
    return text !== '' && names.includes(path.join('.')) ? `${path.join('.')}=${text}` : undefined;
  }
  for (const [name, inner] of Object.entries(value)) {
    const found = wantedIn(inner, [...path, Array.isArray(value) ? '[]' : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

test('a field is found in whatever pieces the text comes, and nothing that only looks like it', () => {
  const wanted = new WantedFields(names);
  fc.assert(
    fc.property(fc.dictionary(key, tree), fc.array(fc.integer({ min: 1, max: 9 })), (value, sizes) => {
      const text = JSON.stringify(value);
      const field = new JsonField(wanted);
      let found: string | undefined;
      for (let at = 0, i = 0; at < text.length && found === undefined; i++) {
        const size = sizes[i % sizes.length] ?? text.length;
        const known = field.take(text.slice(at, at + size));
        if (known !== undefined) found = `${known.field}=${known.value}`;
        at += size;
      }
      expect(found).toBe(wantedIn(value as Json));
    }),
    { numRuns: 2000 },
  );
});
