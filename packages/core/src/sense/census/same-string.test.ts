import { expect, test } from 'vitest';
import { flattenTimed } from './scope-walk.ts';
import { isSameString } from './same-string.ts';

function copy(text: string): string {
  return Buffer.from(text).toString();
}

test('a string is itself; a different one is not', () => {
  const text = copy('a prompt '.repeat(2000));
  expect(isSameString(text, text)).toBe(true);
  expect(isSameString(text, `${text.slice(1)}!`)).toBe(false);
  // Of two characters V8 has but one string.
  expect(isSameString('ab', copy('ab'))).toBe(true);
});

test.each([12, 36, 150, 700, 3000, 50_000])(
  'a copy of %d characters is told from the string itself',
  (length) => {
    const verdicts = Array.from({ length: 45 }, (_, i) => {
      const text = copy(`${i} is a prompt. `.repeat(length / 9).slice(0, length));
      return [isSameString(text, text), isSameString(text, copy(text))];
    });
    // A third may be disturbed by the machine, which has its slow moments.
    expect(verdicts.filter(([itself]) => itself).length).toBeGreaterThanOrEqual(30);
    expect(verdicts.filter(([, copied]) => copied).length).toBeLessThanOrEqual(15);
  },
);

test('a rope is noticed and flattened; flat and very long strings are left alone', () => {
  const verdicts = Array.from({ length: 45 }, (_, n) => {
    let text = '';
    for (let i = 0; i < 3000; i++) text += `delta ${i} ${n} `;
    return [flattenTimed(text), flattenTimed(text)];
  });
  expect(verdicts.filter(([first]) => first).length).toBeGreaterThanOrEqual(30);
  expect(verdicts.filter(([, second]) => second).length).toBeLessThanOrEqual(15);
  expect(flattenTimed('x'.repeat(300_000))).toBe(false);
});

test('flattening gives the memory of the pieces back', () => {
  const used = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const texts: string[] = [];
  for (let n = 0; n < 40; n++) {
    let text = '';
    for (let i = 0; i < 2000; i++) text += JSON.parse(`"piece ${i} of ${n}"`) as string;
    texts.push(text);
  }
  const asRopes = used();
  for (const text of texts) flattenTimed(text);
  globalThis.gc?.();
  const freed = asRopes - used();
  expect(freed).toBeGreaterThan(2e6);
  expect(texts).toHaveLength(40);
});
