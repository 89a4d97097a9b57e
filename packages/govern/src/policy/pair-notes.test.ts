import { describe, expect, test } from 'vitest';
import { parsePolicy } from './parse.ts';
import { withHeader } from './policy.fixture.ts';

const notesOf = (text: string): readonly string[] =>
  parsePolicy(withHeader(text), 'plimsoll.yaml').notes.map(({ text: note }) => note);
const ladder = (emergency: string, critical = 'keepers.shrink'): string =>
  `mode: enforce\nladder:\n  critical: [ ${critical} ]\n  emergency: [ ${emergency} ]\n`;

describe('values that do not work together are noted', () => {
  test.each([
    ['restart before the second round', ladder('process.restart: { after: 20s }'), 'settle.again'],
    [
      'restart before the first round is over',
      ladder(
        'process.restart: { after: 35s }',
        'keepers.shrink, cache.drop, replay.trim, session.park: { until: 70% }, gc.request, conversation.compact, keepers.shrink, cache.drop',
      ),
      'some get no turn before the restart',
    ],
    [
      'a rung that may run longer than the restart waits',
      ladder('evidence: { timeout: 5m }, process.restart: { after: 60s }'),
      'may run for 5 m',
    ],
    [
      'a restart in shadow beside an enforced refusal',
      ladder('admit.refuse, process.restart: { mode: shadow }'),
      'until a human ends the process',
    ],
    [
      'a throttle that is full at once',
      ladder('process.restart', 'keepers.shrink, admit.throttle: { scaled: 50%..70% }'),
      'refuses everything as soon as it runs',
    ],
    [
      'a throttle that begins where emergency does',
      ladder('process.restart', 'keepers.shrink, admit.throttle: { scaled: 96%..99% }'),
      'it does nothing at level critical',
    ],
    [
      'an approval that may come after the restart',
      `${ladder('scope.stop: { approval: ops }, process.restart: { after: 60s }')}approvals: { ops: { by: [ owner ], ttl: 10m, on-expiry: skip } }`,
      'answered too late',
    ],
    [
      'more stops in a run than the guard allows',
      `${ladder('scope.stop: { max: 20 }, process.restart')}guards: { destructive: { rate: 5/m } }`,
      'the rest is held back',
    ],
    [
      'a clamp above the steady limit',
      `${ladder('process.restart', 'keepers.shrink, delegation.clamp: { concurrency: 50 }')}admission: { delegations: 20 }`,
      'it changes nothing',
    ],
    [
      'a policy that is good before it is judged',
      'rollback: { good-after: 1m }',
      'rollback.blocked judges after',
    ],
    [
      'an effect that no reading can show',
      'settle: { at-most: 1s }\nsignal: { sample: 1s, fast: 1s }',
      'signal.fast',
    ],
    ['a level that one reading decides', 'levels: { emergency: { for: 500ms } }', 'one reading decides'],
    ['free memory that is asked for below warning', 'admission: { free-memory: 60% }', 'at level normal'],
  ])('%s', (_, text, expected) => {
    expect(notesOf(text).filter((note) => note.includes(expected))).toHaveLength(1);
  });

  test('a restart with its defaults and the example of the docs have none of them', () => {
    expect(notesOf(ladder('admit.refuse, process.restart'))).toEqual([]);
  });
});
