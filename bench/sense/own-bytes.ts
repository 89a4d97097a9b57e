/** What Plimsoll really retains in a process, beside what it says it does. */
import v8 from 'node:v8';

const settle = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return v8.getHeapStatistics().used_heap_size;
};

const sessions = Array.from({ length: Number(process.argv[2] ?? 1000) }, (_, i) => ({
  id: i,
  messages: [i],
}));
const before = await settle();
const { open } = await import('@plimsoll/core/internal/index');
const { roster } = await import('@plimsoll/core/internal/scope/index');
const { Census } = await import('@plimsoll/core/internal/sense/census/census');
const { Sampler } = await import('@plimsoll/core/internal/sense/sampler');
const { processSensor } = await import('@plimsoll/leak/internal/floor/floor-watch');
const loaded = await settle();
const scopes = sessions.map((session) => open('session', String(session.id), { root: session }));
const opened = await settle();
const sampler = new Sampler({ sensor: processSensor(), scopes: () => roster.count });
const census = new Census({ roster, self: sampler.self });
sampler.start();
census.start();
await new Promise((resolve) => setTimeout(resolve, 3000));
const running = await settle();
process.stdout.write(
  JSON.stringify({
    loadedBytes: loaded - before,
    scopesBytes: opened - loaded,
    sensingBytes: running - opened,
    saidBytes: sampler.sample()?.self.bytes,
    scopes: scopes.length,
  }),
);
process.exit(0);
