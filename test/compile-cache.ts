import { resolve } from 'node:path';

// Counting coverage switches the compile cache off, and every child inherits that. Nothing is counted in the children, and most of them
// load the same few hundred sources: they share what the first one compiled.
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
process.env['NODE_COMPILE_CACHE'] = resolve(import.meta.dirname, '../node_modules/.cache/compile');
