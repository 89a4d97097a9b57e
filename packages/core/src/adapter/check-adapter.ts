import { setTimeout as sleep } from 'node:timers/promises';
import { currentScope, roster } from '../scope/index.ts';
import type { Scope } from '../scope/index.ts';
import { sessions } from './session-book.ts';

/** A framework under its adapter, as one function per case. Each drives the framework once, in the session of that id. */
export interface AdapterCases {
  /** Connects the adapter; returns the function that disconnects it. */
  readonly connect: () => () => void;
  /** A run that ends well, in which a tool calls `work`. */
  readonly conversation: (session: string, work: () => void) => Promise<unknown>;
  /** A run that fails. */
  readonly error: (session: string) => Promise<unknown>;
  /** A run that is aborted by the signal. Leave it out where the framework takes none. */
  readonly abort?: (session: string, signal: AbortSignal) => Promise<unknown>;
  /** A stream whose reader leaves early. Leave it out where the framework has none. */
  readonly leave?: (session: string) => Promise<unknown>;
  /** How long scopes may stay open that are closed when the collector finds their call gone. Default 10,000 ms. */
  readonly patienceMs?: number;
}

const rounds = 20;
const defaultPatienceMs = 10_000;

/**
 * Runs the conversations that every adapter has to survive, and returns what is wrong, one sentence each; an adapter that conforms has none.
 * A program may be running: only scopes that were opened meanwhile are looked at. Needs `--expose-gc` where calls are closed by the collector.
 */
export async function checkAdapter(cases: AdapterCases): Promise<readonly string[]> {
  const faults: string[] = [];
  const before = new Set(openScopes().map(({ id }) => id));
  const left = (): readonly Scope[] =>
    openScopes().filter(({ id, kind }) => !before.has(id) && kind !== 'session');
  const ends = [cases.connect(), cases.connect()];
  try {
    faults.push(...(await checkTree(cases)));
    await attempt('error', async () => cases.error('check-2'), faults);
    const { abort, leave } = cases;
    if (abort !== undefined) await attempt('abort', async () => abortOnce(abort), faults);
    if (leave !== undefined) await attempt('leave', async () => leave('check-3'), faults);
    for (let i = 0; i < rounds; i += 1) {
      await attempt('conversation', async () => cases.conversation('check-1', () => undefined), faults);
      if (leave !== undefined) await attempt('leave', async () => leave('check-3'), faults);
    }
    const open = await settled(left, cases.patienceMs ?? defaultPatienceMs);
    if (open.length > 0) faults.push(`${open.length} scopes stay open, such as ${open[0]?.path ?? ''}.`);
  } finally {
    for (const end of ends) end();
  }
  const opened = roster.opened;
  await attempt('conversation', async () => cases.conversation('check-4', () => undefined), faults);
  if (roster.opened !== opened) faults.push('A conversation after disconnecting opens scopes.');
  for (const id of ['check-1', 'check-2', 'check-3', 'check-4']) sessions().close(id);
  return [...new Set(faults)];
}

async function checkTree({ conversation }: AdapterCases): Promise<readonly string[]> {
  const faults: string[] = [];
  let path: readonly string[] | undefined;
  await attempt(
    'conversation',
    async () =>
      conversation('check-1', () => {
        path = kindsAround(currentScope());
      }),
    faults,
  );
  if (path === undefined) return [...faults, 'The conversation never called its tool.'];
  const session = sessions().get('check-1');
  if (session === undefined) faults.push('No session of the id that was given is open.');
  for (const kind of ['session', 'agent', 'tool']) {
    const count = path.filter((each) => each === kind).length;
    if (count !== 1)
      faults.push(`The code of the tool runs inside ${count} scopes of kind ${kind}, not one.`);
  }
  return faults;
}

async function abortOnce(abort: NonNullable<AdapterCases['abort']>): Promise<void> {
  const controller = new AbortController();
  const aborted = abort('check-2', controller.signal);
  controller.abort();
  await aborted;
}

/** Runs a case. Errors of the framework are expected; only ours are faults. */
async function attempt(name: string, work: () => Promise<unknown>, faults: string[]): Promise<void> {
  try {
    await work();
  } catch (error) {
    const text = String(error);
    if (text.includes('PLM_')) faults.push(`The case "${name}" throws an error of Plimsoll: ${text}`);
  }
}

async function settled(left: () => readonly Scope[], patienceMs: number): Promise<readonly Scope[]> {
  const until = Date.now() + patienceMs;
  while (left().length > 0 && Date.now() < until) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(10);
  }
  return left();
}

function openScopes(): readonly Scope[] {
  return [...roster.open];
}

function kindsAround(scope: Scope): readonly string[] {
  const kinds: string[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) kinds.push(at.kind);
  return kinds;
}
