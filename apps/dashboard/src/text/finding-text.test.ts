import { expect, test } from 'vitest';
import type { Finding } from '@plimsoll/host/protocol/frame';
import { pasteSafe, safeScope, safeText } from './finding-text.ts';

const finding: Finding = {
  id: 'f1',
  kind: 'survivor',
  severity: 'high',
  scope: 'process/agent:acme-corp/session:jane@acme.example',
  fingerprint: '7d1c0a94be12',
  firstSeen: 0,
  lastSeen: 1,
  count: 37,
  bytes: 40_265_318,
  rate: 429_916_160,
  trace: [
    { type: 'root', name: 'module registry.js', via: '', leaking: 'no', why: 'a root' },
    {
      type: 'object',
      name: 'Map',
      via: 'sessions',
      leaking: 'maybe',
      why: 'grows',
      retainedBytes: 40_265_318,
    },
    {
      type: 'object',
      name: 'Session',
      via: 'value of key "jane@acme.example"',
      leaking: 'yes',
      why: 'closed',
      scope: 'process/agent:acme-corp/session:jane@acme.example',
    },
  ],
  knownLeak: { name: 'a map without an end', cure: 'delete', link: 'https://example.org/1' },
  fix: 'delete jane@acme.example',
};

test('a finding is pasted without names of people, keys and values', () => {
  const text = pasteSafe(finding);
  expect(text).not.toMatch(/jane|acme/);
  expect(text).toMatchInlineSnapshot(`
    "plimsoll finding 7d1c0a94be12: high survivor in process/agent:*/session:*
    bytes: 38.4 MiB, 410.0 MiB per hour, seen 37 times
    known leak: a map without an end, https://example.org/1
    trace, root first, suspect references with !:
        module registry.js
      ! sessions -> Map, 38.4 MiB
      ! value of key <text> -> Session [process/agent:*/session:*]
    "
  `);
});

test('a finding without a trace or a rate says less', () => {
  const { trace: _, rate: __, knownLeak: ___, ...rest } = finding;
  expect(pasteSafe({ ...rest, count: 1 })).toMatchInlineSnapshot(`
    "plimsoll finding 7d1c0a94be12: high survivor in process/agent:*/session:*
    bytes: 38.4 MiB, seen 1 time
    "
  `);
});

test('kinds stay, names go', () => {
  expect(safeScope('process/agent:planner/session:42')).toBe('process/agent:*/session:*');
  expect(safeText('listener of "abort" of id 3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toBe(
    'listener of <text> of id <id>',
  );
  expect(safeText('entry 1234567 of onAbort()')).toBe('entry <number> of onAbort()');
});
