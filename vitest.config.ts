import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { uncountedVariable } from './test/coverage.ts';
import LongestFirst from './test/longest-first.ts';

const major = Number(process.versions.node.split('.')[0]);
// Scripts get the pinned Node through `npm run`; a bare `vitest` from an old shell would test the wrong runtime.
if (major < 22) throw new Error(`Tests need Node 22 or newer, this is ${process.version}: use "npm test".`);

const conditions = ['plimsoll-source', 'module', 'node', 'development|production'];

const exclude = [
  '**/node_modules/**',
  '**/dist/**',
  ...(process.env['PLIMSOLL_SLOW'] ? [] : ['**/*.slow.test.ts']),
];

/** Real processes and browsers: they take longest and mostly wait, so they begin first. */
const processes = [
  'test/{integration,browser}/**/*.test.ts',
  'test/frameworks/*.test.ts',
  'scripts/docs/examples.test.ts',
];

/** The same lines over many rounds, which coverage makes several times slower. Other tests count these lines. */
const uncounted = [
  '{packages,apps}/*/src/**/*.property.test.ts',
  'packages/keep/src/session-cache/session-cache.model.test.ts',
  'packages/leak/src/judge/long-run.test.ts',
  'packages/heap/src/graph/fuzz.test.ts',
  'examples/*/src/**/*.test.ts',
  'features/**/*.spec.ts',
];

/** Functions of their arguments, without scopes, hooks, warnings or timers of the process: these share a worker instead of loading the same sources in one each. */
const pure = [
  'apps/*/src/**/*.test.ts',
  'scripts/**/*.test.ts',
  'packages/adapters/src/http/json-field.test.ts',
  'packages/core/src/units/**/*.test.ts',
  'packages/core/src/meter/{grown-lists,hash-tables}.test.ts',
  'packages/core/src/{make-folder,own-module,read-regular-file,release,replace-file}.test.ts',
  'packages/core/src/scope/{pace,scope-path,scope-totals}.test.ts',
  'packages/core/src/sense/{cgroup,limits,old-space,census/fence,census/ranking,census/time-budget}.test.ts',
  'packages/leak/src/judge/**/*.test.ts',
  'packages/leak/src/{audit/call-site,containers/container-counts,findings/*}.test.ts',
  'packages/leak/src/{floor/machine-pace,floor/table-watch,proof/container-evidence}.test.ts',
  'packages/leak/src/{proof/{judged-floors,pair,survivor-merge},sites/{script-origins,site-growth}}.test.ts',
  'packages/leak/src/survivors/survivor-claims.test.ts',
  'packages/govern/src/{policy,incident}/**/*.test.ts',
  'packages/govern/src/restart/{restart-log,restart-plan}.test.ts',
  'packages/govern/src/alert/{alert-router,silence,sinks/address-guard}.test.ts',
  'packages/govern/src/approvals/decision.test.ts',
  'packages/govern/src/level/{level-machine,reconciliation,time-to-limit}*.test.ts',
  'packages/heap/src/*.test.ts',
  'packages/heap/src/{diff,graph,known-leaks,report,suspects,trace}/**/*.test.ts',
  'packages/heap/src/capture/{free-memory,prediction}.test.ts',
  'packages/heap/src/redact/{byte-writer,name-policy,placeholder,row-patches,text-class}.test.ts',
  'packages/host/src/protocol/approver-file.test.ts',
  'packages/keep/src/conversation-window/message-shape.test.ts',
  'packages/ledger/src/{read,sqlite}/**/*.test.ts',
  'packages/ledger/src/{audit-entry,journal,options,sample-batch}.test.ts',
  'packages/plimsoll/src/{docs,ledger}/**/*.test.ts',
  'packages/plimsoll/src/{autopsy/autopsy,gate/baseline,run/next-life,run/operator-log,server/scope-page}.test.ts',
  'packages/plimsoll/src/server/{guard/roles,stream/scope-feed}.test.ts',
  'packages/testkit/src/{growth/growth-rows,mocks/mocks}.test.ts',
];

/** The rest, one worker per file. */
const isolated = [
  'packages/*/src/**/*.test.ts',
  // Tests on the rivals' real packages run where these are installed (any `npm run bench` does it).
  existsSync('bench/node_modules') ? 'bench/**/*.test.ts' : 'bench/*.test.ts',
];

/** Verdicts about real processes depend on what else the machine does. In CI such a test gets a second try, and the closing lines name it. */
const secondTry = process.env['CI'] ? 1 : 0;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Vitest takes projects in the order of their names.
    projects: [
      {
        extends: true,
        test: {
          name: '1-process',
          include: processes,
          globalSetup: './test/install-early.ts',
          maxConcurrency: 3,
          retry: secondTry,
        },
      },
      {
        extends: true,
        test: { name: '2-uncounted', include: uncounted, exclude, env: { [uncountedVariable]: '1' } },
      },
      {
        extends: true,
        test: {
          name: '3-isolated',
          include: isolated,
          exclude: [...exclude, ...uncounted, ...pure],
          retry: secondTry,
        },
      },
      {
        extends: true,
        test: {
          name: '4-pure',
          include: pure,
          exclude: [...exclude, ...processes, ...uncounted],
          isolate: false,
        },
      },
    ],
    exclude,
    setupFiles: ['./test/patience.ts', './test/compile-cache.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Tests of real processes wait twice as long as they compute: three workers keep a core busy. A percentage would end at the cores.
    maxWorkers: 3 * availableParallelism(),
    execArgv: ['--expose-gc', '--conditions=plimsoll-source'],
    // Only an end for what hangs: a busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './test/closing-line.ts'],
    coverage: {
      provider: 'custom',
      customProviderModule: './test/coverage.ts',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/*.d.ts', 'packages/heap/src/kernel/assembly/**'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 97 },
    },
  },
});
