import type { Reporter, TestModule } from 'vitest/node';

/** Prints the tests that passed only at their second try, and the one line that says how the run ended, in a form any CI can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    const second: string[] = [];
    for (const module of modules) {
      let broken = module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (test.diagnostic()?.flaky) second.push(`${module.relativeModuleId} > ${test.fullName}`);
        if (state === 'passed') count.passed++;
        else if (state === 'failed') count.failed++;
        else count.skipped++;
      }
      for (const suite of module.children.allSuites()) broken += suite.errors().length;
      count.failed += broken;
    }
    for (const name of second) process.stdout.write(`\npassed at the second try only: ${name}\n`);
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
