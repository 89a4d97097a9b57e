import { resolve } from 'node:path';

// The coverage provider switches the compile cache off and coverage on, and every child inherits both.
// These tests' children are not counted, and most of them load the same few hundred sources: they share what the first one compiled.
delete process.env['NODE_V8_COVERAGE'];
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
process.env['NODE_COMPILE_CACHE'] = resolve(import.meta.dirname, '../node_modules/.cache/compile');
