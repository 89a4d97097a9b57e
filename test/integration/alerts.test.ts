import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Accepts connections, by the kernel alone, and never answers. */
let silent: Server;
beforeAll(async () => {
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(() => silent.close());

/** Runs a module text in a process of its own, from this repository. */
function run(text: string): { status: number | null; out: string } {
  const args = ['--conditions=plimsoll-source', '--input-type=module', '--eval', text];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(import.meta.dirname, '../../packages/plimsoll'),
    encoding: 'utf8',
    timeout: 15_000,
    env: { ...process.env, OPS: `whsec_${Buffer.alloc(32).toString('base64')}`, NODE_V8_COVERAGE: '' },
  });
  return { status, out: stdout + stderr };
}

const setUp = (sinks: string): string => `
  import { AlertRouter, AlertmanagerSink, WebhookSink } from '@plimsoll/core/alert';
  import { builtInPolicy } from '@plimsoll/core/policy';
  const rule = (name, kind) => ({ name, kind, url: 'http://127.0.0.1:${(silent.address() as AddressInfo).port}/', secret: { env: 'OPS' },
    timeoutMs: 60_000, attempts: 5, resendMs: 60_000, allowPrivate: true });
  const sinks = [${sinks}];
  const names = sinks.map(({ name }) => name);
  const router = new AlertRouter({
    rules: { ...builtInPolicy.alerts, urgentWaitMs: 0, routes: { warning: names, critical: names, emergency: names } },
    recipients: sinks.map((sink) => ({ rule: rule(sink.name), sink })),
    service: 'checkout', pod: 'pod-1',
  });
  router.start();
  router.raise({ name: 'memory.rollback', level: 'emergency', summary: 'x' });
  const waiting = () => Object.values(router.counts.recipients).map(({ waiting }) => waiting).join();
`;

test('recipients that never answer do not keep a process alive', () => {
  const { status, out } =
    run(`${setUp(`new WebhookSink(rule('ops', 'webhook'), Date), new AlertmanagerSink(rule('am', 'alertmanager'), Date)`)}
    setTimeout(() => console.log('the program ends;', waiting(), 'wait'), 1500);
  `);
  expect({ status, out }).toEqual({ status: 0, out: 'the program ends; 1,1 wait\n' });
});

test('an agent that never answers does not either', () => {
  const { status, out } = run(`${setUp(`new A2aSink(rule('captain', 'a2a'))`)}
    import { A2aSink } from '@plimsoll/adapters/a2a';
    setTimeout(() => console.log('the program ends;', waiting(), 'wait'), 2500);
  `);
  expect({ status, out }).toEqual({ status: 0, out: 'the program ends; 1 wait\n' });
});

test('a process that names no agent never loads the A2A SDK', () => {
  const { status, out } = run(`
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { if (specifier.includes('a2a')) seen.push(specifier); return next(specifier, context); } });
    const { Host } = await import('./src/host/host.ts');
    const { mkdtempSync } = await import('node:fs');
    const dir = mkdtempSync('/tmp/plimsoll-a2a-');
    const host = new Host({ dir, ledgerDir: dir + '/ledger', policyFile: undefined, target: 'x', maxPauseMs: 0, isSupervised: false });
    host.start();
    await host.stop();
    console.log(JSON.stringify(seen));
  `);
  expect({ status, out }).toEqual({ status: 0, out: '[]\n' });
});
