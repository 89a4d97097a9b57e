import { availableParallelism, freemem, totalmem } from 'node:os';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { limits } from '@plimsoll/core/internal/sense/limits';
import { LedgerReader } from '@plimsoll/ledger';
import { liveDescriptors } from '@plimsoll/host/protocol';

/** Facts about this machine and folder when no process is named, also without user content. */
export interface Machine {
  readonly plimsoll: string;
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly memory: { readonly totalBytes: number; readonly freeBytes: number };
  readonly limit: { readonly bytes: number; readonly source: string; readonly why: string };
  readonly governed: readonly { readonly pid: number; readonly uptimeMs: number }[];
  readonly lastRun: {
    readonly state: string;
    readonly endedBy: string | null;
    readonly peakBytes: number | null;
    readonly levels: number;
    readonly findings: number;
  } | null;
  readonly advice: readonly string[];
}

export function examineMachine(dir: string, ledgerDir: string, version: string, now: number): Machine {
  const { binding } = limits({});
  const governed = liveDescriptors(dir).map(({ pid, startedAt }) => ({ pid, uptimeMs: now - startedAt }));
  const lastRun = lastRunOf(ledgerDir);
  return {
    plimsoll: version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    memory: { totalBytes: totalmem(), freeBytes: freemem() },
    limit: { bytes: binding.bytes, source: binding.source, why: binding.why },
    governed,
    lastRun,
    advice: adviceFor(governed, lastRun),
  };
}

function adviceFor(governed: Machine['governed'], lastRun: Machine['lastRun']): readonly string[] {
  const found: string[] = [];
  if (lastRun?.state === 'died')
    found.push('the last run ended without an exit record: plimsoll ledger summary shows what it held.');
  if (lastRun !== null && lastRun.findings > 0)
    found.push(`the last run has ${lastRun.findings} findings: plimsoll ledger summary.`);
  const [first] = governed;
  if (first !== undefined) found.push(`examine a governed process: plimsoll doctor ${first.pid}.`);
  else if (found.length === 0)
    found.push(
      'nothing runs governed here: plimsoll run -- node server.js, or plimsoll doctor PID for any Node.js process.',
    );
  return found;
}

function lastRunOf(dir: string): Machine['lastRun'] {
  try {
    const reader = new LedgerReader(dir);
    try {
      const story = reader.story();
      if (story === undefined) return null;
      const { exit } = story;
      const how = exit?.body['signal'] ?? exit?.body['code'];
      return {
        state: story.state,
        endedBy: typeof how === 'string' || typeof how === 'number' ? String(how) : null,
        peakBytes: story.peak?.usedBytes ?? null,
        levels: story.levels.length,
        // Findings of the process itself, and those that `plimsoll run` wrote after its end.
        findings: reader.audit({ kinds: ['finding'], since: story.started }).length,
      };
    } finally {
      reader.close();
    }
  } catch {
    return null;
  }
}

export function machineText(machine: Machine): string {
  const { memory, limit, governed, lastRun } = machine;
  const run =
    lastRun === null
      ? 'no ledger here'
      : `${lastRun.state}${lastRun.endedBy === null ? '' : ` (${lastRun.endedBy})`}, peak ${lastRun.peakBytes === null ? 'unknown' : formatByteSize(lastRun.peakBytes)}, ${lastRun.levels} level changes, ${lastRun.findings} findings`;
  const lines = [
    `plimsoll ${machine.plimsoll} doctor: node ${machine.node} ${machine.platform}, ${machine.cores} cores`,
    '',
    `memory    ${formatByteSize(memory.freeBytes)} free of ${formatByteSize(memory.totalBytes)}`,
    `limit     a Node.js process started here: ${formatByteSize(limit.bytes)}, ${limit.why}`,
    `governed  ${governed.length === 0 ? 'none' : governed.map(({ pid, uptimeMs }) => `pid ${pid}, up ${formatDuration(uptimeMs)}`).join('; ')}`,
    `last run  ${run}`,
    '',
    ...machine.advice.map((line, i) => `${i === 0 ? 'next      ' : '          '}${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
