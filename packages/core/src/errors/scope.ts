import { entry } from './entry.ts';

/** Errors of scopes and accounts. */
export const scopeErrors = {
  PLM_SCOPE_BAD_NAME: entry({
    help: 'A scope kind or name must be a non-empty string without "/" so that a scope path can be read back. Names are cut at 200 characters.',
    text: (d: { part: 'kind' | 'name'; value: string }) => ({
      message: `the ${d.part} of a scope is ${d.value}; it has to be a non-empty string without "/".`,
      where: 'open(kind, name)',
      fix: `pass a ${d.part} such as ${d.part === 'kind' ? '"session"' : '"42"'}.`,
    }),
    example: { part: 'name', value: '""' } as const,
  }),
};
