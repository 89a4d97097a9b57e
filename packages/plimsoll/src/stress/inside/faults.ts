import childProcess from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FaultName, Mended } from './protocol.ts';

type Undo = () => void;
type AnyFunction = (this: unknown, ...args: never[]) => unknown;

const hourMs = 3_600_000;
const hangMs = 2000;
const slowMs = 500;
const slowFactor = 5;

/** Folders of our own code, which faults must not affect, because measurements would be wrong. */
const ownRoots = [
  // In the repository our packages are side by side; installed, each has its own folder.
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../../' : '../../../', import.meta.url)),
  '/node_modules/@plimsoll/',
];

/**
 * Faults of the environment, injected into this process: a full disk, a clock that jumps, outgoing calls that throw, hang or are slow, late
 * timers, a killed child. Each counts how often it took effect.
 */
export class Faults {
  readonly #children = new Set<ChildProcess>();
  readonly #undo: Undo[] = [];
  readonly #happened = new Map<FaultName, number>();

  constructor() {
    // Only children that start from now on can be killed later.
    const children = this.#children;
    for (const name of ['spawn', 'fork', 'execFile', 'exec'] as const)
      replace(
        childProcess,
        name,
        (original) =>
          function followed(this: unknown, ...args: never[]) {
            const child = Reflect.apply(original, this, args) as ChildProcess;
            children.add(child);
            child.once('exit', () => children.delete(child));
            return child;
          },
      );
    syncBuiltinESMExports();
  }

  begin(name: FaultName): void {
    this.#happened.set(name, 0);
    this.#undo.push(...this.#starters[name]());
    syncBuiltinESMExports();
  }

  /** Ends every fault and says how often each took effect. */
  mend(): readonly Mended[] {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
    syncBuiltinESMExports();
    const found = [...this.#happened].map(([name, happened]) => ({ name, happened }));
    this.#happened.clear();
    return found;
  }

  #count(name: FaultName): void {
    this.#happened.set(name, (this.#happened.get(name) ?? 0) + 1);
  }

  readonly #starters: Readonly<Record<FaultName, () => readonly Undo[]>> = {
    'disk-full': () => this.#fillDisk(),
    'clock-forward': () => this.#moveClock('clock-forward', hourMs),
    'clock-back': () => this.#moveClock('clock-back', -hourMs),
    'calls-throw': () => this.#hurtCalls('calls-throw', 0),
    'calls-hang': () => this.#hurtCalls('calls-hang', hangMs),
    'calls-slow': () => this.#slowCalls(),
    'timers-slow': () => this.#slowTimers(),
    'child-killed': () => this.#killChild(),
  };

  #fillDisk(): readonly Undo[] {
    const refuse = (): NodeJS.ErrnoException => {
      this.#count('disk-full');
      return Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        errno: -28,
        syscall: 'write',
      });
    };
    const sync = ['writeFileSync', 'appendFileSync', 'writeSync'] as const;
    const late = ['writeFile', 'appendFile', 'write', 'writev'] as const;
    return [
      ...sync.map((name) =>
        replace(
          fs,
          name,
          (original) =>
            function full(this: unknown, ...args: never[]) {
              if (isOurs() || isTerminal(args[0])) return Reflect.apply(original, this, args);
              throw refuse();
            },
        ),
      ),
      ...late.map((name) =>
        replace(
          fs,
          name,
          (original) =>
            function full(this: unknown, ...args: never[]) {
              const done = args.at(-1) as unknown;
              if (isOurs() || isTerminal(args[0]) || typeof done !== 'function')
                return Reflect.apply(original, this, args);
              process.nextTick(done as (error: Error) => void, refuse());
              return undefined;
            },
        ),
      ),
      ...(['writeFile', 'appendFile'] as const).map((name) =>
        replace(
          fs.promises,
          name,
          (original) =>
            function full(this: unknown, ...args: never[]) {
              return isOurs() ? Reflect.apply(original, this, args) : Promise.reject(refuse());
            },
        ),
      ),
    ];
  }

  #moveClock(fault: FaultName, byMs: number): readonly Undo[] {
    const RealDate = Date;
    const now = (): number => {
      const real = RealDate.now();
      if (isOurs()) return real;
      this.#count(fault);
      return real + byMs;
    };
    class MovedDate extends RealDate {
      constructor(...args: readonly [] | ConstructorParameters<DateConstructor>) {
        if (args.length === 0) super(now());
        else super(...(args as ConstructorParameters<DateConstructor>));
      }

      static override now(): number {
        return now();
      }
    }
    Object.defineProperty(MovedDate, 'name', { value: 'Date' });
    globalThis.Date = MovedDate as DateConstructor;
    return [() => (globalThis.Date = RealDate)];
  }

  #hurtCalls(fault: FaultName, afterMs: number): readonly Undo[] {
    const refuse = (): NodeJS.ErrnoException => {
      this.#count(fault);
      return Object.assign(new Error('read ECONNRESET'), {
        code: 'ECONNRESET',
        errno: -104,
        syscall: 'read',
      });
    };
    const fetchUndo = replace(
      globalThis,
      'fetch',
      (original) =>
        function hurt(this: unknown, ...args: never[]) {
          if (isOurs()) return Reflect.apply(original, this, args);
          const error = new TypeError('fetch failed', { cause: refuse() });
          return new Promise((_, reject) => setTimeout(reject, afterMs, error));
        },
    );
    const requests = [http, https].map((module) =>
      replace(
        module,
        'request',
        (original) =>
          function hurt(this: unknown, ...args: never[]) {
            const sent = Reflect.apply(original, this, args) as http.ClientRequest;
            if (!isOurs()) {
              const error = refuse();
              setTimeout(() => sent.destroy(error), afterMs);
            }
            return sent;
          },
      ),
    );
    return [fetchUndo, ...requests];
  }

  #slowCalls(): readonly Undo[] {
    const count = (): void => this.#count('calls-slow');
    return [
      replace(
        globalThis,
        'fetch',
        (original) =>
          async function slow(this: unknown, ...args: never[]) {
            if (!isOurs()) {
              count();
              await new Promise((resolve) => setTimeout(resolve, slowMs));
            }
            return Reflect.apply(original, this, args);
          },
      ),
    ];
  }

  #slowTimers(): readonly Undo[] {
    const stretch = (ms: unknown): unknown => {
      if (typeof ms !== 'number' || ms <= 0 || isOurs()) return ms;
      this.#count('timers-slow');
      return ms * slowFactor;
    };
    const late = (original: AnyFunction): AnyFunction =>
      function slow(this: unknown, ...args: never[]) {
        const [callback, ms, ...rest] = args as readonly unknown[];
        return Reflect.apply(original, this, [callback, stretch(ms), ...rest] as never[]);
      };
    return [
      replace(globalThis, 'setTimeout', late),
      replace(timers, 'setTimeout', late),
      replace(
        timersPromises,
        'setTimeout',
        (original) =>
          function slow(this: unknown, ...args: never[]) {
            const [ms, ...rest] = args as readonly unknown[];
            return Reflect.apply(original, this, [stretch(ms), ...rest] as never[]);
          },
      ),
    ];
  }

  #killChild(): readonly Undo[] {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      if (child.kill('SIGKILL')) this.#count('child-killed');
      break;
    }
    return [];
  }
}

/** Replaces a function and returns the function that restores it. Properties of the original, such as `promisify.custom`, are kept. */
function replace<Name extends string>(
  holder: { [key in Name]: unknown },
  name: Name,
  make: (original: AnyFunction) => AnyFunction,
): Undo {
  const original = holder[name] as AnyFunction;
  const other = make(original);
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'length' || key === 'name' || key === 'prototype') continue;
    const property = Object.getOwnPropertyDescriptor(original, key);
    if (property !== undefined) Object.defineProperty(other, key, property);
  }
  holder[name] = other;
  return () => {
    holder[name] = original;
  };
}

/** True for standard output and standard error, which keep working so that the program can log. */
function isTerminal(target: unknown): boolean {
  return target === 1 || target === 2;
}

const callerDepth = 6;

/** Whether our own code is calling: the first caller outside of this file and Node.js is in one of our packages. */
function isOurs(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = callerDepth;
  const { stack = '' } = new Error('who calls');
  Error.stackTraceLimit = limit;
  const caller = stack
    .split('\n')
    .slice(1)
    .find((line) => !line.includes('/stress/inside/') && !line.includes('node:'));
  return caller !== undefined && ownRoots.some((root) => caller.includes(root));
}
