import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FunctionScopes } from './function-scopes.ts';
import { ScriptOrigins } from '../sites/script-origins.ts';
import { SiteSampler } from '../sites/site-sampler.ts';
import { endlessLoop, rememberer } from './entered-functions.fixture.ts';
import { ProgramContainers } from './program-containers.ts';

const waiting = { timeout: 50_000, interval: 50 };

test('the containers of a server are found whose clients keep connections from before', async () => {
  const sessions = new Map<number, object>();
  const listener = (): unknown => sessions;
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  using scopes = FunctionScopes.open() as FunctionScopes;
  const scripts = new ScriptOrigins(() => false);
  scripts.add(scopes.openedOf(listener)?.scriptId ?? '', import.meta.url);

  const containers = new ProgramContainers((slice) => slice());
  containers.start();
  let at = Date.now();
  const look = (): readonly string[] => {
    at += 1000;
    for (let n = 0; n < 50; n++) sessions.set(sessions.size, { at });
    containers.look(at, 10 * at, { scripts, busyFunctions: () => [] });
    return containers.grown().map(({ path }) => path.map(({ via }) => via).join(' > '));
  };
  await vi.waitFor(() => expect(look()).toContain('"request" listener > variable sessions'), waiting);
  containers.stop();
  client.destroy();
  server.close();
});

test('a program without a server is reached by its listeners of the process and its globals', async () => {
  const jobs = new Map<number, object>();
  const onSignal = (): unknown => jobs;
  process.on('SIGUSR2', onSignal);
  const holder = globalThis as { queueOfTest?: { waiting: object[] } };
  holder.queueOfTest = { waiting: [] };
  using scopes = FunctionScopes.open() as FunctionScopes;
  const scripts = new ScriptOrigins(() => false);
  scripts.add(scopes.openedOf(onSignal)?.scriptId ?? '', import.meta.url);
  const containers = new ProgramContainers((slice) => slice());
  let at = Date.now();
  const look = (): readonly string[] => {
    at += 1000;
    for (let n = 0; n < 50; n++) {
      jobs.set(jobs.size, { at });
      holder.queueOfTest?.waiting.push({ at });
    }
    containers.look(at, 10 * at, { scripts, busyFunctions: () => [] });
    return containers.grown().map(({ path }) => path.map(({ via }) => via).join(' > '));
  };
  const paths = ['"SIGUSR2" listener > variable jobs', 'queueOfTest > waiting'];
  await vi.waitFor(() => expect(look()).toEqual(expect.arrayContaining(paths)), waiting);
  process.off('SIGUSR2', onSignal);
  delete holder.queueOfTest;
});

test('listeners of the process that become more are counted as one container', async () => {
  using scopes = FunctionScopes.open() as FunctionScopes;
  const scripts = new ScriptOrigins(() => false);
  const most = process.getMaxListeners();
  process.setMaxListeners(0);
  const added: (() => void)[] = [];
  const containers = new ProgramContainers((slice) => slice());
  scripts.add(scopes.openedOf(() => added)?.scriptId ?? '', import.meta.url);
  let at = Date.now();
  const look = (): readonly string[] => {
    at += 1000;
    for (let n = 0; n < 30; n++) {
      const listener = (): unknown => n;
      added.push(listener);
      process.on('SIGUSR2', listener);
    }
    containers.look(at, 10 * at, { scripts, busyFunctions: () => [] });
    return containers.grown().map(({ path }) => path.map(({ via }) => via).join(' > '));
  };
  await vi.waitFor(() => expect(look()).toContain('"SIGUSR2" listeners of process'), waiting);
  for (const listener of added) process.off('SIGUSR2', listener);
  process.setMaxListeners(most);
});

/** Works, reads the sampler, and looks; after each look functions are entered that nothing explained. */
function looking(run: () => void, eager: SiteSampler): () => readonly string[] {
  const containers = new ProgramContainers((slice) => slice());
  let at = Date.now();
  return () => {
    at += 1000;
    run();
    eager.read();
    containers.enter(eager);
    containers.look(at, 10 * at, eager);
    return containers.grown().map(({ path }) => path.map(({ via }) => via).join(' > '));
  };
}

const isNoProgram = (file: string): boolean => !file.endsWith('.fixture.ts');

test('what no server leads to is reached by entering functions that allocate: by variables and by `this`', async () => {
  using eager = new SiteSampler(512, isNoProgram);
  await eager.start();
  const remember = rememberer();
  const look = looking(() => {
    for (let n = 0; n < 200; n++) remember(n);
  }, eager);
  const paths = ['variable answers', 'variable (MemoryOfProgram) > #notes'].map(pathIn);
  await vi.waitFor(() => expect(look()).toEqual(expect.arrayContaining(paths)), waiting);
});

test('a loop that never ends is entered in its midst, and its own variables are seen', async () => {
  using eager = new SiteSampler(512, isNoProgram);
  await eager.start();
  let isOver = false;
  const ended = endlessLoop(() => isOver);
  const look = looking(() => undefined, eager);
  await vi.waitFor(() => expect(look()).toContain(pathIn('variable outputs')), waiting);
  isOver = true;
  expect(await ended).toBeGreaterThan(64);
});

const fixture = relative(process.cwd(), join(import.meta.dirname, 'entered-functions.fixture.ts'));
const pathIn = (path: string): string => `module ${fixture} > ${path}`;
