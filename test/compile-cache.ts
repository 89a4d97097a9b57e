import { resolve } from 'node:path';

// The coverage provider needs the compile cache off in the process that it measures, and Vitest hands that down to every child.
// No child is measured, and most of them load the same few hundred sources: they share what the first one compiled.
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
process.env['NODE_COMPILE_CACHE'] = resolve(import.meta.dirname, '../node_modules/.cache/compile');
