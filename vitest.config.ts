import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const major = Number(process.versions.node.split('.')[0]);
// Scripts get the pinned Node through `npm run`; a bare `vitest` from an old shell would test the wrong runtime.
if (major < 22) throw new Error(`Tests need Node 22 or newer, this is ${process.version}: use "npm test".`);

const conditions = ['plimsoll-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      // Tests on the rivals' real packages run where these are installed (any `npm run bench` does it).
      existsSync('bench/node_modules') ? 'bench/**/*.test.ts' : 'bench/*.test.ts',
      'scripts/**/*.test.ts',
      'features/**/*.spec.ts',
      'test/integration/**/*.test.ts',
      'test/browser/**/*.test.ts',
    ],
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      ...(process.env['PLIMSOLL_SLOW'] ? [] : ['**/*.slow.test.ts']),
    ],
    pool: 'forks',
    // The default leaves one core idle; more than one per core was no faster.
    maxWorkers: '100%',
    execArgv: ['--expose-gc', '--conditions=plimsoll-source'],
    testTimeout: 20_000,
    reporters: ['default', './test/closing-line.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/*.d.ts', 'packages/heap/src/kernel/assembly/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 97 },
    },
  },
});
