import type { GuardOptions, LeakMatchers } from './dist/matchers.js' with { 'resolution-mode': 'import' };
import type { doesNotLeak, underLimit, watch } from './dist/index.js' with { 'resolution-mode': 'import' };

declare global {
  namespace jest {
    interface Matchers<R> extends LeakMatchers {}
  }
}

/** Fails the suite, or the file, around it when scopes, listeners, timers or handles that its tests made are left at its end. */
export declare function leakGuard(options?: GuardOptions): void;
export { doesNotLeak, underLimit, watch };
