import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, ownCopy, LinkedPath, pathSegment } from './scope-path.ts';

test('ordinary kinds and names stay as they are', () => {
  expect(pathSegment('session', 'user@host:42 (été)')).toBe('session:user@host:42 (été)');
});

test('whatever the name, a segment has one reading and no separator or control in it', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(text, text, (kind, name) => {
      const segment = pathSegment(kind, name);
      expect(segment).not.toMatch(/[/\p{Cc}\p{Cs}]/u);
      const colon = segment.indexOf(':');
      expect([read(segment.slice(0, colon)), read(segment.slice(colon + 1))]).toEqual([kind, name]);
    }),
  );
});

test('the path of a step is made of all steps above it, however many', () => {
  const root = new LinkedPath('process', 'process', undefined);
  let deep = root;
  for (let i = 0; i < 100_000; i++) deep = new LinkedPath('a', '/', deep);
  expect(deep.path).toBe(`process${'/a:%2F'.repeat(100_000)}`);
  expect(new LinkedPath('tool', 'x', new LinkedPath('agent', 'y', root)).path).toBe('process/agent:y/tool:x');
});

test('names are cut without keeping the long string', () => {
  expect(clip('x'.repeat(300))).toHaveLength(200);
  expect(clip('short')).toBe('short');
  expect(ownCopy('grüße')).toBe('grüße');
});

function read(escaped: string): string {
  return escaped.replace(/%(?:u([0-9A-F]{4,6})|([0-9A-F]{2}))/g, (_, wide?: string, narrow?: string) =>
    String.fromCodePoint(Number.parseInt((wide ?? narrow) as string, 16)),
  );
}
