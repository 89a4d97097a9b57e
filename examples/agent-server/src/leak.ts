/** The leaks that can be planted; each is one line of ordinary code gone wrong, see the README. */
export const leakNames = ['session-map', 'abort-listener', 'replay-buffer', 'checkpoints'] as const;

export type LeakName = (typeof leakNames)[number];

export type Leaks = ReadonlySet<LeakName>;

export function isLeakName(text: string): text is LeakName {
  return (leakNames as readonly string[]).includes(text);
}
