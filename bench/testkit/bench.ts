/**
 * The test kit's errors and its peers:
 *
 *   npm run bench -- testkit [flakes|busy|peers] [RUNS] [TIME]
 *
 * `flakes` runs RUNS clean checks and RUNS checks of a planted leak (default 1,000 each) on the machine as it is, `busy` beside twice as
 * many busy processes as cores, `peers` asks other tools about the same functions. Without a word all three run; --quick takes 20 runs.
 * With a TIME such as `9m`, each of `flakes` and `busy` ends after it and tells how many checks it made.
 */
import { parseDuration } from '@plimsoll/core/units';
import type { Benchmark, Row } from '../row.ts';
import { flakes } from './flakes.ts';
import { peers } from './peers.ts';

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const runs = Number(args.find((arg) => /^\d+$/.test(arg)) ?? (quick ? 20 : 1000));
  const forMs = args
    .map((arg) => (/^\d+$/.test(arg) ? undefined : parseDuration(arg)))
    .find((ms) => ms !== undefined);
  const words = args.filter((arg) => !/^\d/.test(arg));
  const isAsked = (word: string): boolean => words.length === 0 || words.includes(word);
  const rows: Row[] = [];
  if (isAsked('peers')) rows.push(...(await peers(log)));
  if (isAsked('flakes')) rows.push(...(await flakes({ runs, forMs }, false, log)));
  if (isAsked('busy')) rows.push(...(await flakes({ runs, forMs }, true, log)));
  return rows;
};

export default benchmark;
