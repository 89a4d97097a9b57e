/** What the bundles of the host and of the command share. */

/** How our sources are read. Packages that are not ours stay outside; the helpers that rolldown puts in go in. */
export const sources = {
  platform: 'node',
  // Node.js 22 knows no `using`.
  transform: { target: 'node22.12' },
  external: (id) => !/^[./]|^@plimsoll\/|^@oxc-project\//.test(id),
  resolve: { conditionNames: ['plimsoll-source', 'node', 'import'] },
};

/** How the files are written. */
export const files = {
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Names are kept, because heap snapshots are searched for our classes and a stack must say where it was.
  minify: { mangle: false, compress: false, codegen: true },
};
