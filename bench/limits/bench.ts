/**
 * The limit that is said against where the process really ends, over Node versions, flags and memory control groups.
 *
 * Said is the live heap at which the binding limit ends the process. Real is the live heap after the last mark-compact before V8 aborted,
 * or the pages of the heap when the kernel ended it: the kernel counts pages. Arguments choose versions and sizes: `npm run bench -- limits 24 512`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { cgroupFolder } from './cgroup-folder.ts';

const mib = 1024 ** 2;
const root = resolve(import.meta.dirname, '../..');
const binaries: Readonly<Record<string, string>> = {
  '22': resolve(root, 'test/runtimes/node_modules/node-22/bin/node'),
  '24': process.execPath,
  '26': resolve(root, 'test/runtimes/node_modules/node-26/bin/node'),
};

interface Case {
  /** MiB of the control group; 0 for none. */
  readonly group: number;
  readonly flag?: string;
  readonly load: 'objects' | 'arrays' | 'map';
}

interface End {
  readonly saidBytes: number;
  readonly source: string;
  readonly realBytes: number;
  readonly isKilled: boolean;
  /** Bytes that the growing table was said to ask for at the last reading. */
  readonly requestBytes: number;
}

const sizes = [128, 192, 256, 384, 512, 768, 1024, 2048, 4096];
const cases: readonly Case[] = [
  ...sizes.map((group): Case => ({ group, load: 'objects' })),
  { group: 512, load: 'arrays' },
  { group: 512, flag: '--max-old-space-size=64', load: 'objects' },
  { group: 512, flag: '--max-old-space-size=1000', load: 'objects' },
  { group: 512, flag: '--max-old-space-size-percentage=80', load: 'objects' },
  { group: 512, flag: '--max-semi-space-size=64', load: 'objects' },
  { group: 512, flag: '--max-heap-size=300', load: 'objects' },
  { group: 0, flag: '--max-old-space-size=256', load: 'objects' },
  { group: 0, flag: '--max-old-space-size=256', load: 'map' },
  { group: 512, load: 'map' },
];
const quickSizes = [0, 128, 512];

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const numbers = args.map(Number);
  const versions = Object.keys(binaries).filter(
    (version) => !numbers.some((n) => n in binaries) || numbers.includes(Number(version)),
  );
  const chosen = numbers.filter((n) => !(n in binaries));
  const wanted = cases.filter(({ group }) =>
    chosen.length > 0 ? chosen.includes(group) : !quick || quickSizes.includes(group),
  );
  // The subject imports the built packages.
  spawnSync('npx', ['tsc', '-b', resolve(root, 'packages/leak')], { stdio: ['ignore', 2, 2] });
  const rows: Row[] = [];
  const ratios: number[] = [];
  let told = 0;
  let maps = 0;
  let mistaken = 0;
  for (const version of quick ? ['24'] : versions) {
    const binary = binaries[version] as string;
    if (!existsSync(binary)) {
      log(`Node ${version} is not installed: npm ci in test/runtimes`);
      continue;
    }
    for (const one of wanted) {
      // oxlint-disable-next-line no-await-in-loop -- one process at a time has the machine
      const end = await run(binary, one);
      if (end === undefined) {
        log(`no writable memory control group here: ${one.group} MiB is left out`);
        continue;
      }
      const name = `Node ${version}, ${one.group === 0 ? 'no group' : `${one.group} MiB`} ${one.flag ?? ''} ${one.load}`;
      log(
        `${name}: said ${(end.saidBytes / mib).toFixed(0)} (${end.source}), real ${(end.realBytes / mib).toFixed(0)} ${end.isKilled ? 'killed' : 'aborted'}, next table ${(end.requestBytes / mib).toFixed(0)}`,
      );
      if (one.load === 'map') {
        maps++;
        if (end.realBytes + end.requestBytes > 0.95 * end.saidBytes) told++;
        continue;
      }
      if (end.requestBytes > 0) mistaken++;
      ratios.push(end.saidBytes / end.realBytes);
      rows.push(
        row({
          metric: `${name.trim()}: heap at the end, said`,
          unit: 'MiB',
          samples: [end.saidBytes / mib],
          peer: { name: end.isKilled ? 'killed' : 'aborted', samples: [end.realBytes / mib] },
          goal: { atLeast: 0.95, atMost: 1.05 },
        }),
      );
    }
  }
  if (ratios.length > 0)
    log(`said / real: ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`);
  if (maps > 0)
    rows.push(
      row({
        metric: 'growing Map whose next table was said not to fit',
        unit: 'of all',
        samples: [told / maps],
        goal: { atLeast: 1 },
      }),
    );
  rows.push(
    row({
      metric: 'other loads taken for a growing Map',
      unit: 'runs',
      samples: [mistaken],
      goal: { atMost: 0 },
    }),
  );
  return rows;
};

export default benchmark;

async function run(binary: string, { group, flag, load }: Case): Promise<End | undefined> {
  using folder = group === 0 ? undefined : cgroupFolder(group * mib);
  if (group !== 0 && folder === undefined) return undefined;
  const argv = [...(flag === undefined ? [] : [flag]), resolve(import.meta.dirname, 'subject.mjs'), load];
  const enter = folder === undefined ? '' : `echo $$ > ${folder.procs}; `;
  const child = spawn('sh', ['-c', `${enter}exec "$0" "$@"`, binary, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const lastWords = text(child.stderr);
  let said: { readonly source: string; readonly endBytes: number } | undefined;
  let pageBytes = 0;
  let requestBytes = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as Record<string, number> & { source: string; endBytes: number };
    if (said === undefined) said = told;
    else {
      pageBytes = told['heapPages'] ?? 0;
      requestBytes = told['nextTableBytes'] ?? 0;
    }
  }
  // V8 prints its last collections when it aborts: "Mark-Compact 254.1 (259.3) -> 253.6 (259.6) MB".
  const collections = [...(await lastWords).matchAll(/(?:Mark-Compact|Scavenge).* -> ([\d.]+) \(/g)];
  const liveBytes = Number(collections.at(-1)?.[1] ?? Number.NaN) * mib;
  if (said === undefined) throw new Error(`the subject said nothing: ${binary} ${argv.join(' ')}`);
  const isKilled = (folder?.kills() ?? 0) > 0;
  return {
    saidBytes: said.endBytes,
    source: said.source,
    realBytes: isKilled ? pageBytes : liveBytes,
    isKilled,
    requestBytes,
  };
}
