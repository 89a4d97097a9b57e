/** Options that the bundles of the host and of the command share. */

/** Input options. Packages of others stay outside; rolldown's own helpers go in. */
export const sources = {
  platform: 'node',
  // Node.js 22 knows no `using`.
  transform: { target: 'node22.12' },
  external: (id) => !/^[./]|^@plimsoll\/|^@oxc-project\//.test(id),
  resolve: { conditionNames: ['plimsoll-source', 'node', 'import'] },
};

/** Output options. */
export const files = {
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Names are kept, because heap snapshots are searched for our classes and stacks have to name functions.
  minify: { mangle: false, compress: false, codegen: true },
};
