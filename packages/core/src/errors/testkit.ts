import { entry } from './entry.ts';

/** Errors of the test kit. Those that begin with PLM_LEAK are the failures of leak tests. */
export const testkitErrors = {
  PLM_LEAK_GROWTH: entry({
    help: 'A function keeps memory with every call. The growth went on at the same pace after the warm-up, and the objects at the printed path became more in every step. The test fails with the path, the place in the code and the fix.',
    text: (d: { what: string; keeps: string; evidence: string; where: string; fix: string }) => ({
      message: `${d.what} keeps ${d.keeps} (${d.evidence}).`,
      where: d.where,
      fix: d.fix,
    }),
    example: {
      what: 'agent.run(prompt)',
      keeps: '1 ReplayBuffer per call',
      evidence: '2 of 2 steps, 4,200 calls',
      where: 'test/agents.test.ts:18',
      fix: 'remove entries from RunRegistry.runs when their work ends, or give it a bound (a keeper of @plimsoll/keep).',
    },
  }),
  PLM_LEAK_SURVIVOR: entry({
    help: 'An object that a test expects to be gone is still reachable after several collections. The failure prints its holder.',
    text: (d: { survived: string; where: string; fix: string }) => ({
      message: `${d.survived} after garbage collection.`,
      where: d.where,
      fix: d.fix,
    }),
    example: {
      survived: '3 of 3 watched objects (Session) are still reachable',
      where: 'test/sessions.test.ts:31',
      fix: 'remove entries from SessionStore.sessions when their work ends, or give it a bound (a keeper of @plimsoll/keep).',
    },
  }),
  PLM_LEAK_UNRELEASED: entry({
    help: 'A finished object is still referenced by the test, as a server references its last runs, and holds more memory than the test allows. Its buffers were not released when it finished.',
    text: (d: { what: string; held: string; limit: string; where: string; fix: string }) => ({
      message: `each finished ${d.what} still holds ${d.held}; ${d.limit} is allowed.`,
      where: d.where,
      fix: d.fix,
    }),
    example: {
      what: 'MastraModelOutput',
      held: '58.2 KiB',
      limit: '4.0 KiB',
      where: 'test/stream.test.ts:12',
      fix: 'release #bufferedChunks when the work is finished, or keep only the result instead of the object.',
    },
  }),
  PLM_LEAK_PEAK: entry({
    help: 'The live memory of a function went above its budget while it ran. Heap, ArrayBuffers and external memory count; garbage does not.',
    text: (d: { what: string; peak: string; limit: string; evidence: string; where: string }) => ({
      message: `${d.what} had ${d.peak} alive at its peak; ${d.limit} is allowed (${d.evidence}).`,
      where: d.where,
      fix: 'read and write in pieces, or raise the budget if the work needs this much.',
    }),
    example: {
      what: 'ingest(file)',
      peak: '31.5 MiB',
      limit: '24.0 MiB',
      evidence: '12 readings',
      where: 'test/ingest.test.ts:9',
    },
  }),
  PLM_LEAK_LEFT_BEHIND: entry({
    help: 'A suite ended and left scopes open, or listeners, timers or handles attached that it made itself.',
    text: (d: { left: string; where: string }) => ({
      message: `left behind: ${d.left}.`,
      where: d.where,
      fix: 'close scopes, remove listeners, clear timers and close handles in the test or in its afterEach.',
    }),
    example: { left: '1 scope open (process/session:42), 1 timer', where: 'test/server.test.ts' },
  }),
  PLM_LEAK_LIMIT: entry({
    help: 'A module did not finish in a child process with the given heap limit.',
    text: (d: { module: string; limit: string; end: string }) => ({
      message: `${d.module} did not finish in a heap of ${d.limit}: ${d.end}.`,
      where: d.module,
      fix: 'run it with a higher limit to measure its need, and look for kept objects with toStayUnder and not.toLeak.',
    }),
    example: { module: 'test/large-context.ts', limit: '128 MiB', end: 'V8 ran out of heap (SIGABRT)' },
  }),
  PLM_TESTKIT_OPTION: entry({
    help: 'An option of the test kit has a value that cannot be used. Nothing was run.',
    text: (d: { option: string; value: string; accepted: string }) => ({
      message: `${d.option} is ${d.value}; it has to be ${d.accepted}.`,
      where: 'options of the test kit',
      fix: `set ${d.option} to ${d.accepted}.`,
    }),
    example: { option: 'ignore[0].why', value: 'missing', accepted: 'the reason, such as "cache, #12"' },
  }),
  PLM_TESTKIT_NESTED: entry({
    help: 'A leak check was started inside the function that another leak check measures. One heap has one check at a time.',
    text: (d: { inner: string; outer: string }) => ({
      message: `${d.inner} was started inside ${d.outer}.`,
      where: 'test kit',
      fix: 'do one check after the other.',
    }),
    example: { inner: 'a check of () => b()', outer: 'a check of () => a()' },
  }),
  PLM_TESTKIT_NO_GC: entry({
    help: 'V8 does not expose its garbage collector in this process, so it is not known which objects are still reachable.',
    text: (d: { node: string }) => ({
      message: `Node.js ${d.node} gives no access to the garbage collector.`,
      where: 'test kit',
      fix: 'start the test runner with NODE_OPTIONS=--expose-gc, or in workers with execArgv: ["--expose-gc"].',
    }),
    example: { node: 'v24.21.0' },
  }),
};
