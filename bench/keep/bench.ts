/** Keepers beside their rivals: `npm run bench -- keep [KEEPER ...]`. One file per keeper. */
import type { Benchmark, Row } from '../row.ts';

const keepers: Readonly<Record<string, () => Promise<{ rows: Benchmark }>>> = {
  'session-cache': () => import('./session-cache.ts'),
  'replay-buffer': () => import('./replay-buffer.ts'),
  'conversation-window': () => import('./conversation-window.ts'),
  'delegation-breaker': () => import('./delegation-breaker.ts'),
  'small-keepers': () => import('./small-keepers.ts'),
};

const benchmark: Benchmark = async (options) => {
  const wanted = options.args.length > 0 ? options.args : Object.keys(keepers);
  const all: Row[] = [];
  for (const name of wanted) {
    const load = keepers[name];
    if (load === undefined)
      throw new Error(`no keeper "${name}"; there are: ${Object.keys(keepers).join(', ')}`);
    all.push(...(await (await load()).rows(options)));
  }
  return all;
};
export default benchmark;
