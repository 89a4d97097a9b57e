'use strict';
/**
 * Registers the matchers with Jest 30: list it under `setupFilesAfterEnv`, or import it in a test file.
 *
 * Jest gives each test file a global object of its own and loads modules into it. The kit is loaded by Node itself instead, once per
 * worker: so it works in CommonJS and in ESM projects without a transform, and one heap has one check at a time.
 */
// Jest replaces `require` and `process` in a test file. `Buffer` is the one of Node itself, and its constructor sees Node's own globals.
const { getBuiltinModule } = Buffer.constructor('return process')();
const load = getBuiltinModule('node:module').createRequire(__filename);
const isSource = process.execArgv.includes('--conditions=plimsoll-source');
const from = (name) => load(isSource ? `./src/${name}.ts` : `./dist/${name}.js`);

const { matchers } = from('matchers');
const { LeakGuard } = from('guard/leak-guard');
const { doesNotLeak, underLimit, watch } = from('index');

/** A leak is proved by snapshots; the five seconds that Jest gives a test by default do not suffice on a busy machine. */
const testTimeout = 180_000;

// Outside of Jest there is nothing to register with, and the functions can still be used.
globalThis.expect?.extend(matchers);
// Jest hands `jest` to each module that it loads.
if (typeof jest !== 'undefined') jest.setTimeout(testTimeout);

function leakGuard(options) {
  let guard;
  globalThis.beforeAll(() => {
    guard = new LeakGuard(options);
  });
  globalThis.afterAll(() => guard.end(), testTimeout);
}

module.exports = { doesNotLeak, leakGuard, underLimit, watch };
