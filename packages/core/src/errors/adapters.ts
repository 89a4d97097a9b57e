import { entry } from './entry.ts';

/** Warnings of the adapters of frameworks. */
export const adapterErrors = {
  PLM_ADAPTER_UNHOOKED: entry({
    help: 'A framework is installed whose functions cannot be hooked: this Node.js is older than 22.15, or the adapter does not know this build of the framework. The program is not changed. Its sessions, agents and tools have no scopes from this adapter.',
    text: (d: { adapter: string; what: string; reason: string }) => ({
      message: `the adapter "${d.adapter}" cannot hook ${d.what}: ${d.reason}.`,
      where: `adapter ${d.adapter}`,
      fix: `register it by hand (docs/guides/frameworks.md), or turn it off in the policy: adapters: { ${d.adapter}: off }.`,
    }),
    example: {
      adapter: 'mcp',
      what: 'StreamableHTTPServerTransport',
      reason: 'Node.js 22.14 has no module.registerHooks',
    },
  }),
  PLM_ADAPTER_SLOW_CLIENT: entry({
    help: 'A program kept writing to a client that does not read, as servers of event streams and WebSockets do when they ignore the answer of `write`. Everything written waits in memory. The bytes of one connection exceeded the bound of the policy, and the connection was closed. The warning is printed once; each close is in the log of the scope.',
    text: (d: { path: string; bytes: string; bound: string }) => ({
      message: `${d.bytes} waited for a client that does not read, of at most ${d.bound}; its connection was closed.`,
      where: d.path,
      fix: 'wait for "drain" when write() returns false, or drop events for slow clients; sessions.send-queue in the policy sets the bound.',
    }),
    example: { path: 'process/request:GET events', bytes: '17.2 MiB', bound: '16 MiB' },
  }),
  PLM_ADAPTER_BAD_MESSAGE: entry({
    help: 'The memory of a Mastra agent gave something that is no message, such as a number. Mastra throws on it ("Cannot use the in operator"), and so does every later call of that thread. The value was left out, and the call goes on.',
    text: (d: { type: string }) => ({
      message: `a conversation has a ${d.type} where a message belongs; it was left out.`,
      where: 'MessageList.add of @mastra/core',
      fix: 'look for the row in the store of the memory, and delete it.',
    }),
    example: { type: 'number' },
  }),
  PLM_ADAPTER_BAD_BOUND: entry({
    help: 'A bound of an adapter has a value that bounds nothing or allows nothing. The call throws, because the function exists to prevent a store without a bound.',
    text: (d: { option: string; value: string; by?: string }) => ({
      message: `${d.option} is ${d.value}; accepted: a number of at least 1.`,
      where: d.by === undefined ? `boundedCheckpointer(saver, { ${d.option} })` : `${d.by}({ ${d.option} })`,
      fix: `pass a number such as ${d.option}: 1000.`,
    }),
    example: { option: 'mostThreads', value: 'undefined' },
  }),
};
