/** The leaks that can be planted. Each is one wrong line of ordinary code, see the README. */
export const leakNames = ['session-map', 'abort-listener', 'replay-buffer', 'checkpoints'] as const;

export type LeakName = (typeof leakNames)[number];

export type Leaks = ReadonlySet<LeakName>;

export function isLeakName(text: string): text is LeakName {
  return (leakNames as readonly string[]).includes(text);
}
