import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { AttachedProcess } from '../attach/process-facts.ts';

/** Facts of the kernel about an ungoverned process. The process itself is neither asked nor changed. */
export interface ProcLook {
  readonly plimsoll: string;
  readonly by: 'proc';
  readonly pid: number;
  readonly program: string;
  readonly uptimeMs: number | null;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly swapBytes: number;
  /** Resident memory without a file: heap, Buffers, stacks, malloc. */
  readonly anonymousBytes: number;
  readonly threads: number;
  /** `--max-old-space-size` of its command line, in bytes. */
  readonly oldSpaceBytes: number | null;
  readonly advice: readonly string[];
}

const MiB = 1024 ** 2;

/** Reads only /proc. The caller has checked `facts`: a Node.js process of this user. */
export function lookAtProc(facts: AttachedProcess, version: string, proc = '/proc'): ProcLook {
  const folder = join(proc, String(facts.pid));
  const status = textOf(join(folder, 'status'));
  const kilobytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  const flag = facts.args.findLast((each) => /^--max[-_]old[-_]space[-_]size=\d+$/.test(each));
  const oldSpaceBytes = flag === undefined ? null : Number(flag.split('=')[1]) * MiB;
  return {
    plimsoll: version,
    by: 'proc',
    pid: facts.pid,
    program: facts.program,
    uptimeMs: uptimeOf(folder, proc),
    rssBytes: facts.rssBytes,
    peakRssBytes: kilobytes('VmHWM'),
    swapBytes: kilobytes('VmSwap'),
    anonymousBytes: kilobytes('RssAnon'),
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    oldSpaceBytes,
    advice: [
      'the kernel does not know the heap of a process: plimsoll run -- node server.js governs it from its start, without a change of its code.',
      `plimsoll doctor ${facts.pid} --inspect asks V8 instead. It opens the inspector on 127.0.0.1 for about a second; until it is closed, every user of this machine can run code in the process as its owner.`,
    ],
  };
}

export function procText(look: ProcLook): string {
  const { rssBytes, peakRssBytes, anonymousBytes, swapBytes, oldSpaceBytes, uptimeMs } = look;
  const lines = [
    `plimsoll ${look.plimsoll} doctor: ${look.program}, pid ${look.pid}${uptimeMs === null ? '' : `, up ${formatDuration(uptimeMs)}`}, seen through /proc; it is not governed`,
    '',
    `memory    ${formatByteSize(rssBytes)} resident, peak ${formatByteSize(peakRssBytes)}; ${formatByteSize(anonymousBytes)} of it is heap, Buffers, stacks and malloc${swapBytes > 0 ? `; ${formatByteSize(swapBytes)} in swap` : ''}`,
    `limit     ${oldSpaceBytes === null ? "V8's default for this machine: no --max-old-space-size on its command line" : `--max-old-space-size ${formatByteSize(oldSpaceBytes)}`}`,
    `threads   ${look.threads}`,
    '',
    ...look.advice.map((line, i) => `${i === 0 ? 'next      ' : '          '}${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Its age, from its start in clock ticks (100 per second) since the boot of the machine. */
function uptimeOf(folder: string, proc: string): number | null {
  const stat = textOf(join(folder, 'stat'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedS = Number(fields[19]) / 100;
  const upS = Number(textOf(join(proc, 'uptime')).split(' ')[0]);
  return Number.isFinite(startedS) && upS > startedS ? Math.round(1000 * (upS - startedS)) : null;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
