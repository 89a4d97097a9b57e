'use strict';
/**
 * Registers the matchers with Jest 30: list it under `setupFilesAfterEnv`, or import it in a test file.
 *
 * Jest gives each test file a global object of its own and loads modules into it. The kit is loaded by Node itself instead, once per
 * worker: so it works in CommonJS and in ESM projects without a transform, and one heap has one check at a time.
 */
const load = process.getBuiltinModule('node:module').createRequire(__filename);
const isSource = process.execArgv.includes('--conditions=plimsoll-source');
const from = (name) => load(isSource ? `./src/${name}.ts` : `./dist/${name}.js`);

const { matchers } = from('matchers');
const { LeakGuard } = from('guard/leak-guard');
const { doesNotLeak, underLimit, watch } = from('index');

/** A leak is proved by snapshots; the five seconds that Jest gives a test by default do not suffice on a busy machine. */
const testTimeout = 90_000;

// Outside of Jest there is nothing to register with, and the functions can still be used.
globalThis.expect?.extend(matchers);
globalThis.jest?.setTimeout?.(testTimeout);

function leakGuard(options) {
  let guard;
  globalThis.beforeAll(() => {
    guard = new LeakGuard(options);
  });
  globalThis.afterAll(() => guard.end(), testTimeout);
}

module.exports = { doesNotLeak, leakGuard, underLimit, watch };
