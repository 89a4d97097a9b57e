/** The same drivers as a user's test: `growthOf(step)` of the test kit in the driver's own process. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FindingStep } from '@plimsoll/leak/internal/findings/finding';
import { row, type Row } from '../row.ts';
import { namesHolder, type Expectation } from './holder.ts';

export interface KitOutcome {
  readonly name: string;
  readonly variant: 'leaky' | 'fixed' | 'non-leak';
  readonly counts: boolean;
  readonly verdict: 'leak' | 'clean' | undefined;
  readonly isNamed: boolean;
  readonly wallMs: number;
  readonly text: string;
}

interface Told {
  readonly verdict: 'leak' | 'clean';
  readonly by: string;
  readonly calls: number;
  readonly warmup: number;
  readonly ms: number;
  readonly bytesPerCall: number;
  readonly trace: readonly FindingStep[];
}

const here = import.meta.dirname;
const kit = pathToFileURL(resolve(here, '../../packages/testkit/dist/index.js')).href;
const mostMs = 180_000;
/** The issue gives a pair this long. */
const goalSeconds = 60;

export function runKit(
  folder: string,
  name: string,
  driver: string,
  variant: KitOutcome['variant'],
  expect: Expectation | undefined,
  counts: boolean,
): KitOutcome {
  const work = mkdtempSync(join(tmpdir(), 'plimsoll-kit-'));
  const started = performance.now();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', join(here, 'kit-preload.mjs'), driver, variant === 'leaky' ? 'leaky' : 'fixed'],
    {
      cwd: folder,
      encoding: 'utf8',
      timeout: mostMs,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PLIMSOLL_LEAKS: resolve(folder),
        PLIMSOLL_KIT: kit,
        PLIMSOLL_KIT_DIR: work,
      },
    },
  );
  const wallMs = performance.now() - started;
  rmSync(work, { recursive: true, force: true });
  const line = stdout.split('\n').find((text) => text.startsWith('kit '));
  const told = line === undefined ? undefined : (JSON.parse(line.slice(4)) as Told);
  const isNamed = expect !== undefined && told !== undefined && namesHolder(told.trace, expect);
  const holder = (told?.trace ?? []).map((step) => `${step.via}:${step.name}`).join(' > ');
  const text = [
    'kit',
    name.padEnd(30),
    variant.padEnd(8),
    `${told?.verdict ?? 'no verdict'}${counts ? '' : ' (not counted)'}`.padEnd(10),
    variant === 'leaky' ? (isNamed ? 'named' : 'NOT NAMED') : '',
    `wall ${(wallMs / 1000).toFixed(1)} s`,
    told === undefined
      ? stderr.split('\n').slice(0, 3).join(' | ')
      : `by ${told.by}, ${told.calls} calls, ${told.bytesPerCall.toFixed(0)} B each`,
    holder === '' ? '' : `\n    ${holder.slice(0, 500)}`,
  ].join('  ');
  return { name, variant, counts, verdict: told?.verdict, isNamed, wallMs, text };
}

export function kitRows(outcomes: readonly KitOutcome[]): readonly Row[] {
  const counted = outcomes.filter(({ counts }) => counts);
  const leaky = counted.filter(({ variant }) => variant === 'leaky');
  const healthy = counted.filter(({ variant }) => variant !== 'leaky');
  const share = (
    metric: string,
    of: readonly KitOutcome[],
    is: (outcome: KitOutcome) => boolean,
  ): readonly Row[] =>
    of.length === 0
      ? []
      : [
          row({
            metric: `${metric} (of ${of.length})`,
            unit: 'share',
            samples: [of.filter((each) => is(each)).length / of.length],
            goal: { atLeast: 1 },
          }),
        ];
  const walls = counted.map(({ wallMs }) => wallMs / 1000);
  return [
    ...share('kit: leaky said to leak', leaky, ({ verdict }) => verdict === 'leak'),
    ...share('kit: holder named', leaky, ({ isNamed }) => isNamed),
    ...share('kit: healthy said to be clean', healthy, ({ verdict }) => verdict === 'clean'),
    ...(walls.length === 0
      ? []
      : [
          row({
            metric: 'kit: longest check',
            unit: 's',
            samples: [Math.max(...walls)],
            goal: { atMost: goalSeconds },
          }),
        ]),
  ];
}
