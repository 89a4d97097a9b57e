import { vi } from 'vitest';

/** How long a test waits for what has to come. It is long, because a busy machine is no failure; Vitest waits for one second. */
const timeout = 100_000;

vi.setConfig({ expect: { poll: { timeout } } });

const wait = vi.waitFor;
if (wait.name !== 'patient')
  vi.waitFor = function patient(callback, options = {}) {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return wait(callback, { timeout, ...given });
  };
