/** The same functions put to the tools that people use for leak tests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { row, type Row } from '../row.ts';
import { clean, leaky } from './cases.ts';
import { toolNames, type Answer } from './peer-worker.ts';

const worker = join(import.meta.dirname, 'peer-worker.ts');
const mostMs = 120_000;

export async function peers(log: (line: string) => void): Promise<readonly Row[]> {
  log('leakage: not asked; npm install leakage fails on Node 24, its native module does not build');
  return toolNames.flatMap((tool) => {
    const answers = [...leaky, ...clean].map((one) => ({ one, ...ask(tool, one.name) }));
    for (const { one, answer, seconds } of answers)
      log(
        `${tool.padEnd(20)} ${one.name.padEnd(44)} ${(answer?.verdict ?? 'no answer').padEnd(10)} ${
          (answer?.verdict === 'leak') === one.leaks && answer !== undefined ? 'right' : 'WRONG'
        } ${answer?.isNamed === true ? 'names the holder' : ''} ${seconds.toFixed(1)} s`,
      );
    const isOurs = tool === 'plimsoll';
    const count = (of: readonly unknown[]): readonly number[] => [of.length];
    const leaks = answers.filter(({ one }) => one.leaks);
    return [
      row({
        metric: `${tool}: found of ${leaky.length}`,
        unit: 'leaks',
        samples: count(leaks.filter(({ answer }) => answer?.verdict === 'leak')),
        ...(isOurs && { goal: { atLeast: leaky.length } }),
      }),
      row({
        metric: `${tool}: holder named of ${leaky.length}`,
        unit: 'leaks',
        samples: count(leaks.filter(({ answer }) => answer?.isNamed === true)),
        ...(isOurs && { goal: { atLeast: leaky.length } }),
      }),
      row({
        metric: `${tool}: false alarms of ${clean.length}`,
        unit: 'alarms',
        samples: count(answers.filter(({ one, answer }) => !one.leaks && answer?.verdict === 'leak')),
        ...(isOurs && { goal: { atMost: 0 } }),
      }),
      row({
        metric: `${tool}: one check`,
        unit: 's',
        samples: answers.map(({ seconds }) => seconds),
      }),
    ];
  });
}

function ask(tool: string, name: string): { readonly answer: Answer | undefined; readonly seconds: number } {
  const started = performance.now();
  const { stdout } = spawnSync(
    process.execPath,
    ['--conditions=plimsoll-source', '--expose-gc', worker, tool, name],
    { encoding: 'utf8', timeout: mostMs, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 },
  );
  const line = stdout.split('\n').find((text) => text.startsWith('answer '));
  return {
    answer: line === undefined ? undefined : (JSON.parse(line.slice(7)) as Answer),
    seconds: (performance.now() - started) / 1000,
  };
}
