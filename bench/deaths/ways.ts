/** Ways to die: the program, what is done to it from outside, and the cause that an autopsy has to find. */

export interface Way {
  readonly name: string;
  /** The program as an ES module. `ready` is called when it is governed and has been read for a while. */
  readonly program: string;
  /** The cause; `none` when the end is no death. */
  readonly cause: string;
  /** Other names that are right, too. */
  readonly or?: readonly string[];
  readonly flags?: readonly string[];
  /** The program runs under a control group of this size. */
  readonly groupMib?: number;
  /** What is done to it once it is ready. */
  readonly outside?:
    | { readonly send: NodeJS.Signals; readonly to: 'program' | 'supervisor' }
    | { readonly kill: 'both' }
    /** Arguments of `plimsoll act`. */
    | { readonly act: readonly string[] };
  /** With a proof asked for we listen to SIGTERM; without, a stuck program ends by it at once. */
  readonly isProved?: boolean;
  /** Growth that takes long enough to be seen; the autopsy or the findings have to name this holder. */
  readonly holder?: RegExp;
  /** Exit code of the run when there is no death. */
  readonly code?: number;
}

const mib = 1024 ** 2;
const waiting = 'setInterval(() => undefined, 1000);';
/** Closed sessions that a map keeps; by default 2 to 3 MB in a second. */
const leak = (per: string, everyMs = 50): string => `
  const sessions = new Map();
  let next = 0;
  function keepSession() { sessions.set('session-' + next++, ${per}); }
  setInterval(keepSession, ${everyMs});`;

export const ways: readonly Way[] = [
  {
    name: 'V8 limit, fast',
    program: 'ready(); const kept = []; for (;;) kept.push({ a: kept.length, b: [kept.length] });',
    flags: ['--max-old-space-size=64'],
    cause: 'v8-heap-limit',
  },
  {
    name: 'V8 limit, slow, a map of sessions',
    program: `ready(); ${leak('{ turns: Array.from({ length: 4000 }, (_, i) => ({ i, text: "turn " + i })) }')}`,
    flags: ['--max-old-space-size=96'],
    cause: 'v8-heap-limit',
    holder: /sessions|keepSession/,
  },
  {
    name: 'V8 limit, slow, an array in a class',
    program: `ready();
      class History { entries = []; add(i) { this.entries.push(Array.from({ length: 3000 }, (_, j) => ({ i, j }))); } }
      const history = new History(); let n = 0;
      setInterval(() => history.add(n++), 50);`,
    flags: ['--max-old-space-size=96'],
    cause: 'v8-heap-limit',
    holder: /entries|History|add/,
  },
  {
    name: 'V8 limit, slow, strings',
    program: `ready(); ${leak('Array.from({ length: 2000 }, (_, i) => "text of a turn " + next + " " + i)')}`,
    flags: ['--max-old-space-size=96'],
    cause: 'v8-heap-limit',
    holder: /sessions|keepSession/,
  },
  {
    name: 'V8 limit in promises that never yield',
    program: `ready(); setTimeout(async () => { const kept = []; for (;;) { await null; kept.push(new Array(1000).fill(kept.length)); } }, 100);`,
    flags: ['--max-old-space-size=64'],
    cause: 'v8-heap-limit',
  },
  {
    name: 'ArrayBuffer that cannot be allocated',
    program: 'ready(); setTimeout(() => new ArrayBuffer(2 ** 48), 100);',
    cause: 'array-buffer-failure',
  },
  {
    name: 'control group, buffers, slow',
    program: `ready(); ${leak(`Buffer.alloc(${mib}, 1)`, 40)}`,
    groupMib: 320,
    cause: 'group-oom-kill',
    holder: /sessions|keepSession|[Bb]uffer/,
  },
  {
    name: 'control group, external strings',
    program: `ready(); const kept = []; const source = Buffer.alloc(${4 * mib}, 65); setInterval(() => kept.push(source.toString('latin1')), 40);`,
    groupMib: 320,
    cause: 'group-oom-kill',
  },
  {
    name: 'control group, heap above it, fast',
    program:
      'ready(); setTimeout(() => { const kept = []; for (;;) kept.push({ a: kept.length, b: [kept.length] }); }, 100);',
    flags: ['--max-old-space-size=2000'],
    groupMib: 256,
    cause: 'group-oom-kill',
  },
  {
    name: 'kill -9',
    program: `ready(); ${waiting}`,
    outside: { send: 'SIGKILL', to: 'program' },
    cause: 'killed',
  },
  {
    name: 'SIGTERM to the program during work',
    program: `ready(); setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 25);`,
    outside: { send: 'SIGTERM', to: 'program' },
    cause: 'signal',
  },
  {
    name: 'SIGTERM to the run',
    program: `ready(); ${waiting}`,
    outside: { send: 'SIGTERM', to: 'supervisor' },
    cause: 'none',
    code: 143,
  },
  {
    name: 'SIGHUP to the program',
    program: `ready(); ${waiting}`,
    outside: { send: 'SIGHUP', to: 'program' },
    cause: 'signal',
  },
  {
    name: 'crash in native code',
    program: `ready(); setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 100); ${waiting}`,
    cause: 'crash',
  },
  {
    name: 'uncaught error',
    program: `ready(); function load() { throw new TypeError('no such user'); } setTimeout(load, 100);`,
    cause: 'uncaught-error',
  },
  {
    name: 'unhandled rejection',
    program: `ready(); setTimeout(() => void Promise.reject(new Error('no answer')), 100); ${waiting}`,
    cause: 'unhandled-rejection',
  },
  {
    name: 'stack overflow',
    program: `ready(); const deep = (n) => deep(n + 1) + 1; setTimeout(() => deep(0), 100);`,
    cause: 'stack-overflow',
  },
  {
    name: 'process.exit in a callback',
    program: `ready(); function leave() { process.exit(3); } setTimeout(leave, 100);`,
    cause: 'exit-code',
  },
  {
    name: 'abort()',
    program: `ready(); setTimeout(() => process.abort(), 100);`,
    cause: 'abort',
  },
  {
    name: 'worker thread at its limit',
    program: `ready(); import { Worker } from 'node:worker_threads';
      setTimeout(() => new Worker('const kept = []; for (;;) kept.push([kept.length]);', { eval: true, resourceLimits: { maxOldGenerationSizeMb: 24 } }), 100);`,
    cause: 'worker-heap-limit',
  },
  {
    name: 'child process at its limit',
    program: `import { fork } from 'node:child_process';
      if (process.argv[2] === 'child') {
        const kept = [];
        setInterval(() => { for (let i = 0; i < 3000; i++) kept.push({ i }); }, 20);
      } else {
        ready();
        const child = fork(process.argv[1], ['child'], { execArgv: [...process.execArgv, '--max-old-space-size=48'] });
        child.on('exit', () => setTimeout(() => process.exit(0), 100));
      }`,
    cause: 'v8-heap-limit',
  },
  {
    name: 'stuck loop, asked to end',
    program: `ready(); setTimeout(() => { for (;;); }, 1500);`,
    outside: { send: 'SIGTERM', to: 'supervisor' },
    isProved: true,
    cause: 'loop-stuck',
  },
  {
    name: 'full disk',
    program: `import { writeFileSync } from 'node:fs'; ready(); setTimeout(() => writeFileSync('/dev/full', 'x'.repeat(100)), 100);`,
    cause: 'disk-full',
  },
  {
    name: 'supervisor killed, then the program',
    program: `ready(); ${waiting}`,
    outside: { kill: 'both' },
    cause: 'killed',
  },
  {
    name: 'planned restart',
    program: `ready(); ${waiting}`,
    outside: {
      act: ['process.restart', '--set', 'jitter=0s', 'min-uptime=0s', 'drain=1s'],
    },
    cause: 'none',
    code: 75,
  },
  {
    name: 'clean exit',
    program: 'ready(); setTimeout(() => process.exit(0), 100);',
    cause: 'none',
    code: 0,
  },
];
