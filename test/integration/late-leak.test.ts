/** A leak that begins after 40 s of a healthy life, in a real process whose clock runs eight times as fast. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';

/** Three minutes of the program, of which the test waits for 23 s. Work per second of that clock is what the program was seen with. */
const program = `
const begun = Date.now();
const now = Date.now;
Date.now = () => begun + 8 * (now() - begun);
const cache = new Map();
const late = new Map();
let n = 0;
const entry = () => ({ id: ++n, rows: Array.from({ length: 8 }, (_, i) => ({ i, text: 'row ' + n })) });
let kept = 0;
const timer = setInterval(() => {
  const second = (Date.now() - begun) / 1000;
  for (let i = 0; i < 60; i++) {
    cache.set(n, entry());
    if (cache.size > 500) cache.delete(cache.keys().next().value);
  }
  for (const due = 400 * (second - 40); kept < due; kept++) late.set(n, entry());
  if (second > 180) clearInterval(timer);
}, 10);
`;

test(
  'a leak that begins at second 40 of three minutes is found and named',
  { timeout: 240_000 },
  async () => {
    const dir = workFolder({ 'late.mjs': program });
    await plimsoll(['run', '--report', 'out.json', '--', 'node', 'late.mjs'], dir).ended;
    const report = JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as {
      readonly verdict: string;
      readonly why: string;
      readonly findings: readonly object[];
    };
    expect(report.verdict, report.why).toBe('leak');
    expect(report.why).toMatch(/\blate\b/);
  },
);
