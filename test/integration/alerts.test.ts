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
    timeout: 100_000,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      OPS: `whsec_${Buffer.alloc(32).toString('base64')}`,
      NODE_V8_COVERAGE: '',
    },
  });
  return { status, out: stdout + stderr };
}

const setUp = (sinks: string): string => `
  import { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import { AlertmanagerSink } from '@plimsoll/govern/internal/alert/sinks/alertmanager-sink';
import { WebhookSink } from '@plimsoll/govern/internal/alert/sinks/webhook-sink';
  import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
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
    const { Host } = await import('@plimsoll/host/internal/host');
    const { mkdtempSync } = await import('node:fs');
    const dir = mkdtempSync('/tmp/plimsoll-a2a-');
    const host = await Host.load({ dir, ledgerDir: dir + '/ledger', policyFile: undefined, target: 'x', maxPauseMs: 0, isSupervised: false });
    host.start();
    await host.stop();
    console.log(JSON.stringify(seen));
  `);
  expect({ status, out }).toEqual({ status: 0, out: '[]\n' });
});

test('without the SDK an agent is not told, and the way to install it is said once; the server for approvals says the same', () => {
  const { status, out } = run(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (!specifier.startsWith('@a2a-js/')) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package '" + specifier + "' imported from /srv/x.js"), { code: 'ERR_MODULE_NOT_FOUND' });
    } });
    ${setUp(`new A2aSink(rule('captain', 'a2a'))`)}
    import { A2aSink, ApprovalServer } from '@plimsoll/adapters/a2a';
    process.on('warning', (warning) => console.log(warning.code, warning.message));
    await ApprovalServer.start({ port: 0 }).catch((error) => console.log(String(error)));
    const look = setInterval(() => {
      const { lost } = router.counts.recipients.captain;
      if (lost === 0) return;
      clearInterval(look);
      console.log(lost, 'lost');
    }, 10);
  `);
  expect(status).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "PLM_A2A_SDK_MISSING: the A2A SDK cannot be loaded: Cannot find package '@a2a-js/sdk'.
      at:  @a2a-js/sdk
      fix: run "npm install @a2a-js/sdk@1.3.0".
    PLM_ALERT_FAILED a notice to "captain" was given up after 1 attempt: the A2A SDK cannot be loaded: Cannot find package '@a2a-js/sdk'. run "npm install @a2a-js/sdk@1.3.0". (fix: check that the recipient can be reached; the ledger lists lost notices.)
    1 lost
    "
  `);
});
