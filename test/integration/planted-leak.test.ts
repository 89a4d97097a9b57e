/** The example server with its session-map leak under 128 MiB: it dies, and the ledger tells how. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LedgerReader } from '@plimsoll/ledger';
import { plimsoll, root, workFolder } from './plimsoll.ts';

const policy = `apiVersion: plimsoll/v1
revision: 1
mode: enforce
levels:
  warning:   { enter: 60%, exit: 55%, for: 1s, keep: 5s }
  critical:  { enter: 80%, exit: 75%, for: 500ms, keep: 5s }
  emergency: { enter: 95%, exit: 90%, for: 250ms, keep: 5s }
signal: { sample: 500ms, fast: 250ms, grace: 1s }
ladder:
  warning: [notify]
`;

test(
  'levels rise in order on the process before V8 dies, and the ledger tells the story',
  { timeout: 240_000 },
  async () => {
    const dir = workFolder({ 'p.yaml': policy });
    const server = join(root, 'examples/agent-server/src/main.ts');
    const load = ['--load', '--leak', 'session-map', '--payload', '128KiB', '--users', '60', '--speed', '10'];
    const run = plimsoll(
      ['run', '--policy', 'p.yaml', '--', 'node', '--max-old-space-size=128', server, '--port', '0', ...load],
      dir,
    );
    const end = await run.ended;
    expect(end.code).toBe(134);
    expect(end.stderr).toContain('ended by SIGABRT, suspected out of memory');
    expect(end.stderr).toContain(
      '102.4 MiB: live heap, 80 % of 128.0 MiB old space (--max-old-space-size=128)',
    );

    const reader = new LedgerReader(join(dir, '.plimsoll/ledger'));
    const rises = reader
      .audit({ kinds: ['level'] })
      .filter((entry) => entry.scope === 'process')
      .map((entry) => entry.body['to']);
    // A leak this fast may pass a line between two readings; no level is ever left on the way up.
    expect(rises.join(' ')).toMatch(/^(?:warning )?(?:critical )?emergency$/);
    expect(reader.verifyChain()).toMatchObject({ ok: true });
    reader.close();

    const told = await plimsoll(['ledger', 'summary'], dir).ended;
    expect(told.stdout).toMatch(/^end .*SIGABRT.*suspected out of memory/m);
    expect(told.stdout).toMatch(/process: normal -> (?:warning|critical|emergency)/);
    expect(told.stdout).toMatch(/process: \w+ -> emergency/);
    expect(told.stdout).toMatch(/^growth +process \+[\d.]+ [GM]iB per hour/m);
  },
);
