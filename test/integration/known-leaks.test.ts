/** The catalogue of known leaks against a snapshot of a real process that has them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { analyze } from '@plimsoll/heap';
import { expect, test } from 'vitest';
import { workFolder } from './plimsoll.ts';

test('leaks of Node.js and of the MCP SDK are recognised in a real snapshot', async () => {
  const file = join(workFolder({}), 'known.heapsnapshot');
  execFileSync(process.execPath, [join(import.meta.dirname, 'fixtures/heap/known-leaks.mjs'), file]);
  const { suspects } = await analyze(file, { suspects: 30 });
  const found = new Map(suspects.map(({ knownLeak, name, count }) => [knownLeak?.id, `${count} × ${name}`]));
  expect(Object.fromEntries(found)).toMatchObject({
    'promise-race-long-lived': '600 × (anonymous)()',
    'events-on-never-returned': expect.stringMatching(/^\d+ × FixedQueue$/) as string,
    'import-data-url': expect.stringMatching(/^[4-9]\d\d × Object$/) as string,
    'async-context-bound': '300 × bound()',
    'mcp-session-map': '60 × StreamableHTTPServerTransport',
    'buffer-pool-slab': '80 × Buffer',
  });
});
