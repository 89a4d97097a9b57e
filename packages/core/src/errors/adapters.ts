import { entry } from './entry.ts';

/** Warnings of the adapters of frameworks. */
export const adapterErrors = {
  PLM_ADAPTER_UNHOOKED: entry({
    help: 'A framework is installed whose functions cannot be hooked: this Node.js is older than 22.15, or the framework was built in another way than the adapter expects. The program is not changed. Its sessions, agents and tools have no scopes from this adapter.',
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
};
