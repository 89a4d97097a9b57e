import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import type { Diagnosis } from './diagnosis.ts';
import { formatTable, printable } from '../screen/table.ts';

/** The diagnosis on a page, safe to paste into a public issue. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { memory, floor, scopes, self } = diagnosis;
  const lines = [
    `plimsoll ${diagnosis.plimsoll} doctor: node ${diagnosis.node} ${diagnosis.platform}, up ${formatDuration(diagnosis.uptimeMs)}, seen through its ${diagnosis.by}`,
    '',
    `memory    ${formatByteSize(memory.rss)} resident`,
    ...formatTable(
      [
        { title: 'where', cell: (row) => row.name },
        { title: 'bytes', align: 'right', cell: (row) => formatByteSize(row.bytes) },
        { title: 'share', align: 'right', cell: (row) => `${Math.round((100 * row.bytes) / memory.rss)} %` },
      ],
      parts(diagnosis),
      100,
    ).map((line) => `          ${line}`),
    `floor     ${floor === null ? 'no major GC seen' : `${formatByteSize(floor.bytes)} live after the last major GC, ${formatDuration(floor.ageMs)} ago`}`,
    ...diagnosis.limits.map(
      ({ source, usedBytes, bytes, binds }, i) =>
        `${i === 0 ? 'limits    ' : '          '}${source} ${formatUsedOfLimit(usedBytes, bytes)}${binds ? ', binds first' : ''}`,
    ),
    ...collectorLines(diagnosis),
    `level     ${diagnosis.level ?? 'not governed'}`,
    ...policyLines(diagnosis),
    ...growthLines(diagnosis),
    ...scopeLines(scopes),
    ...findingLines(diagnosis),
    ...(self === null ? [] : selfLines(self)),
    '',
    ...diagnosis.advice.map((line, i) => `${i === 0 ? 'next      ' : '          '}${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Plimsoll's own cost, with the share of each part and whether it is slowed down. */
function selfLines({
  bytes,
  cpuRatio,
  allowanceRatio,
  parts = [],
}: NonNullable<Diagnosis['self']>): string[] {
  const percent = (ratio: number): string => `${(100 * ratio).toFixed(2)} %`;
  const allowed = allowanceRatio === undefined ? '' : ` (allowed ${percent(allowanceRatio)})`;
  const shares = parts.map(
    ({ part, cpuRatio: share, slowdown }) =>
      `${part} ${percent(share)}${slowdown > 1 ? `, slowed ${slowdown.toFixed(1)}x` : ''}`,
  );
  return [
    `itself    ${formatByteSize(bytes)}, ${percent(cpuRatio)} of a core${allowed}`,
    ...(shares.length === 0 ? [] : [`          ${shares.join('; ')}`]),
  ];
}

/** The recent cost of the collector, and whether the sizes of the two generations fit. */
function collectorLines({ collector, sizes }: Diagnosis): readonly string[] {
  if (collector == null) return [];
  const { ms, minor, major, youngBytes, promotedBytes, judgedBytes, deadBytes } = collector;
  const each = ({ count, pauseMs, longestMs }: typeof minor): string =>
    count === 0
      ? '0'
      : `${count.toLocaleString('en-US')} of ${(pauseMs / count).toFixed(1)} ms (longest ${longestMs.toFixed(1)} ms)`;
  const perSecond = (bytes: number): string => `${formatByteSize((1000 * bytes) / Math.max(1, ms))}/s`;
  const dead =
    judgedBytes === 0
      ? ''
      : `, ${Math.round((100 * deadBytes) / judgedBytes)} % of it dead at the next major GC`;
  const share = (100 * (minor.pauseMs + major.pauseMs)) / Math.max(1, ms);
  return [
    `gc        ${share.toFixed(1)} % of the last ${formatDuration(ms)}: minor ${each(minor)}, major ${each(major)}`,
    `          ${perSecond(promotedBytes)} promoted of ${perSecond(youngBytes)} allocated${dead}`,
    `          semi-space ${formatByteSize(collector.semiSpaceBytes)}, old space ${formatByteSize(collector.oldSpaceBytes)}${sizes.length === 0 ? ': no reason to change them' : ''}`,
  ];
}

function parts({ memory }: Diagnosis): readonly { readonly name: string; readonly bytes: number }[] {
  return [
    { name: 'heap objects', bytes: memory.heap },
    { name: 'compiled code', bytes: memory.code },
    { name: 'V8 slack (committed, unused)', bytes: memory.slack },
    { name: 'ArrayBuffers', bytes: memory.arrayBuffers },
    { name: 'other external', bytes: memory.external },
    { name: 'native (V8 knows nothing of it)', bytes: memory.native },
  ];
}

function policyLines({ policy }: Diagnosis): readonly string[] {
  if (policy === null) return [];
  const { mode, fault, faultForMs, givenUp } = policy;
  const since = faultForMs === null ? '' : ` for ${formatDuration(faultForMs)}`;
  return [
    `policy    mode ${mode}`,
    ...(fault === null ? [] : [`          the file is not in force${since}: ${printable(fault)}`]),
    ...(givenUp === null ? [] : [`          ${printable(givenUp)}`]),
  ];
}

function growthLines({ growth }: Diagnosis): readonly string[] {
  if (growth === null) return ['growth    not watched'];
  const words = Object.entries(growth).map(([channel, { shape, bytes }]) =>
    shape === 'growing' ? `${channel} growing by ${formatByteSize(bytes)}` : `${channel} ${shape}`,
  );
  return [`growth    ${words.join(', ')} over ${growth.heap.floors} floors`];
}

function scopeLines(scopes: Diagnosis['scopes']): readonly string[] {
  if (scopes === null) return ['scopes    unknown: it is not governed'];
  const kinds = scopes.kinds.map(
    (row) => `${row.kind} ${row.open} open of ${row.opened}, ${formatByteSize(row.bytes)}`,
  );
  return [
    `scopes    ${scopes.open} open${kinds.length === 0 ? '' : `: ${kinds.join('; ')}`}`,
    ...scopes.top.map(
      (row) =>
        `          ${row.path}  ${formatByteSize(row.bytes)} (peak ${formatByteSize(row.peakBytes)}) ${row.level}`,
    ),
    ...(scopes.unattributedBytes === null
      ? []
      : [
          `          unattributed ${formatByteSize(scopes.unattributedBytes)} of live heap and external memory`,
        ]),
  ];
}

function findingLines({ findings }: Diagnosis): readonly string[] {
  if (findings.length === 0) return ['findings  none'];
  return findings.map(({ severity, kind, scope, bytes, fingerprint, count, knownLeak, subject, site }, i) => {
    const size = bytes > 0 ? `${formatByteSize(bytes)}, ` : '';
    const what = subject === undefined ? '' : `${subject}, `;
    const place = site === undefined ? '' : `, made at ${site}`;
    const known = knownLeak === undefined ? '' : ` (${knownLeak.name})`;
    return `${i === 0 ? 'findings  ' : '          '}${severity} ${kind} in ${scope}: ${what}${size}${count} times, fingerprint ${fingerprint}${place}${known}`;
  });
}
