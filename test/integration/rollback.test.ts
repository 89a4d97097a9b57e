import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { LedgerReader } from '@plimsoll/ledger';
import { expect, test, vi } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';

const policy = (revision: number, lines = ''): string =>
  `apiVersion: plimsoll/v1\nrevision: ${revision}\nmode: enforce\nladder: { warning: [ notify ] }\n${lines}`;

/** A program that refuses most of what it is asked for, because its policy is always at emergency. */
const server = (core: string): string => `
  import { admit } from ${JSON.stringify(core)};
  console.log('up');
  setInterval(() => { for (let i = 0; i < 20; i++) try { admit('session'); } catch {} }, 100);
`;
const core = new URL('../../packages/core/src/index.ts', import.meta.url).href;

interface State {
  readonly state: { readonly isLatched: boolean; readonly last: { readonly trigger: string } | null };
  readonly inForce: { readonly revision: number; readonly mode: string };
}

async function stateOf(dir: string): Promise<State> {
  const { stdout, stderr } = await plimsoll(['rollback', '--state', '--json'], dir).ended;
  expect(stderr).toBe('');
  return JSON.parse(stdout) as State;
}

/** What the ledger has about the policy: looking costs no process. */
function policyEvents(dir: string): readonly unknown[] {
  using reader = new LedgerReader(join(dir, '.plimsoll', 'ledger'));
  return reader.audit({ kinds: ['policy'] }).map(({ body }) => body['event']);
}

test.concurrent(
  'by hand to shadow, held over a restart, until the file changes; all of it in the ledger',
  { timeout: 300_000 },
  async () => {
    const dir = workFolder({
      'server.mjs': `console.log('up'); setInterval(() => {}, 1000);`,
      'plimsoll.yaml': policy(3),
    });
    const run = ['run', '--policy', 'plimsoll.yaml', '--', 'node', 'server.mjs'];
    const first = plimsoll(run, dir);
    await first.seen(/up/);
    await vi.waitFor(
      async () => expect((await stateOf(dir)).inForce).toMatchObject({ revision: 3, mode: 'enforce' }),
      { interval: 500 },
    );
    const asked = await plimsoll(['rollback', '--to', 'shadow', '--reason', 'look first'], dir).ended;
    expect(asked.stdout).toContain('went from revision 3 in mode enforce to revision 3 in mode shadow');
    first.child.kill('SIGTERM');
    await first.ended;

    const second = plimsoll(run, dir);
    await second.seen(/up/);
    await vi.waitFor(
      async () =>
        expect(await stateOf(dir)).toMatchObject({ state: { isLatched: true }, inForce: { mode: 'shadow' } }),
      { interval: 500 },
    );
    writeFileSync(join(dir, 'plimsoll.yaml'), policy(4));
    await vi.waitFor(() => expect(policyEvents(dir)).toEqual(['rollback', 'reload']));
    await vi.waitFor(
      async () =>
        expect(await stateOf(dir)).toMatchObject({
          state: { isLatched: false },
          inForce: { revision: 4, mode: 'enforce' },
        }),
      { interval: 500 },
    );
    second.child.kill('SIGTERM');
    // The second start says which policy is held back, and nothing else went wrong.
    expect(new Set((await second.ended).stderr.match(/PLM_\w+/g))).toEqual(
      new Set(['PLM_ROLLBACK_GIVEN_UP']),
    );
    using reader = new LedgerReader(join(dir, '.plimsoll', 'ledger'));
    const entries = reader
      .audit({ kinds: ['policy'] })
      .map(({ body }) => [body['event'], body['revision'], body['reason'] ?? null]);
    expect(entries).toEqual([
      ['rollback', 3, 'look first'],
      ['reload', 4, null],
    ]);
  },
);

test.concurrent(
  'a policy that refuses most of the work without relief is given up by the process itself',
  { timeout: 300_000 },
  async () => {
    const lines = `
signal: { sample: 100ms, fast: 100ms, grace: 0s }
limits: { rss: { max: 1MiB } }
levels: { warning: { for: 0s }, critical: { for: 0s }, emergency: { for: 0s } }
guards: { self-disable: { for: 1h } }
rollback: { blocked: { share: 50%, for: 10s } }
`;
    const dir = workFolder({
      'server.mjs': server(core),
      'plimsoll.yaml': `${policy(7).replace('ladder: { warning: [ notify ] }', 'ladder: { warning: [ keepers.shrink ], emergency: [ admit.refuse ] }')}${lines}`,
    });
    const run = plimsoll(
      ['run', '--policy', 'plimsoll.yaml', '--', 'node', '--conditions=plimsoll-source', 'server.mjs'],
      dir,
    );
    await run.seen(/up/);
    await vi.waitFor(() => expect(policyEvents(dir)).toEqual(['rollback']), {
      timeout: 100_000,
      interval: 200,
    });
    const found = await stateOf(dir);
    expect(found.inForce.mode).toBe('shadow');
    expect(found.state).toMatchObject({ isLatched: true, last: { trigger: 'blocked' } });
    run.child.kill('SIGTERM');
    await run.ended;
    using reader = new LedgerReader(join(dir, '.plimsoll', 'ledger'));
    const [entry] = reader.audit({ kinds: ['policy'] });
    expect(entry?.body).toMatchObject({
      event: 'rollback',
      trigger: 'blocked',
      by: null,
      from: { mode: 'enforce' },
    });
    expect(entry?.body['text']).toMatch(
      /of \d+ operations were blocked in 10 s at level \w+, and the pressure went from /,
    );
  },
);
