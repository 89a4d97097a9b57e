import type { AddCommand } from '../program.ts';

/** Verbs that run for long beside somebody's server, and therefore load nothing but themselves. */
const alone: Readonly<Record<string, () => Promise<AddCommand>>> = {
  top: async () => (await import('./top.ts')).addTopCommand,
  serve: async () => (await import('./serve.ts')).addServeCommand,
};

/** The commands that a command line needs: one of those above, or all of them, so that help and suggestions know every verb. */
export async function commandsFor(argv: readonly string[]): Promise<readonly AddCommand[]> {
  const load = Object.hasOwn(alone, argv[0] ?? '') ? alone[argv[0] as string] : undefined;
  if (load !== undefined) return [await load()];
  const { commands } = await import('./index.ts');
  return commands;
}
