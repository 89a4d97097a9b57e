/** Tests for `node --test`: one passes, one fails. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import '@plimsoll/testkit/node';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-node-test-'));
const kept: object[] = [];

test('what is dropped is collected', async (t) => {
  await t.assert.isCollected(() => ({ turn: 1 }));
});

test('what is kept is not', async (t) => {
  await t.assert.isCollected(
    () => {
      const turn = { turn: 2 };
      kept.push(turn);
      return turn;
    },
    { dir },
  );
});
