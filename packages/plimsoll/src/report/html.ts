import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Report } from '../run/report.ts';
import { escapeHtml, htmlTable } from './html-text.ts';
import { reportStyle } from './html-style.ts';
import { stressHtml } from './html-stress.ts';
import { plotSvg } from './plot.ts';
import { factsOf, findingViews, headlineOf, nextSteps } from './view.ts';
import type { FindingView } from './view.ts';

const mostScopes = 20;
const mostFindings = 20;
const mostActions = 40;

/** A report as one HTML file without scripts and without requests to a server. */
export function reportHtml(report: Report): string {
  const { word, tone, why } = headlineOf(report);
  const steps = nextSteps(report);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(`${word}: ${report.target}`)}</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<h1>${escapeHtml(report.target)}</h1>
<p class="muted">Memory report of Plimsoll, ${escapeHtml(timeText(report.started))} to ${escapeHtml(timeText(report.ended))}</p>
</header>
<main>
<div class="verdict ${tone}"><b>${escapeHtml(word)}</b><span>${escapeHtml(why)}</span></div>
${factsHtml(report)}
${findingsHtml(report)}
${steps.length === 0 ? '' : `<section><h2>What to do next</h2><ol>${steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('')}</ol></section>`}
${report.stress === undefined ? '' : stressHtml(report.stress)}
${grownHtml(report)}
${holdersHtml(report)}
${eventsHtml(report)}
${processesHtml(report)}
</main>
<footer><p>Written by Plimsoll ${escapeHtml(report.plimsoll)}. ${escapeHtml(proofText(report))}</p></footer>
</body>
</html>
`;
}

function factsHtml(report: Report): string {
  const cells = factsOf(report).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<section><h2>Memory</h2><dl>${cells.join('')}</dl>${memoryPlot(report)}</section>`;
}

function memoryPlot(report: Report): string {
  const { series, proof } = report;
  if (series != null && series.at.length > 1) {
    const { at } = series;
    const marks = marksOf(report);
    // Resident memory has a plot of its own. It is several times as high, so a leak would look flat in the same plot.
    return [
      plotSvg({
        title: 'Memory',
        at,
        limit: report.limits?.bytes,
        lines: [
          { name: 'used (counts against the limit)', className: 'used', values: series.used },
          { name: 'live after GC (floor)', className: 'floor', values: series.floor },
          { name: 'outside the heap', className: 'external', values: series.external },
        ],
        marks,
      }),
      plotSvg({
        title: 'Resident memory',
        at,
        height: 150,
        lines: [{ name: 'resident (RSS)', className: 'rss', values: series.rss }],
        marks,
      }),
    ].join('');
  }
  const floors = proof?.floors ?? [];
  if (floors.length < 2) return '<p class="muted">There were too few readings for a plot.</p>';
  const start = Date.parse(report.started);
  const stepMs = (Date.parse(report.ended) - start) / floors.length;
  return plotSvg({
    title: 'Live heap after each major GC, spread over the run',
    at: floors.map((_, i) => start + i * stepMs),
    lines: [{ name: 'floor', className: 'floor', values: floors }],
  });
}

function marksOf({ stress, proof, lives }: Report): readonly { at: number; text: string }[] {
  if (stress !== undefined) return stress.plans.map(({ startedAt, plan }) => ({ at: startedAt, text: plan }));
  return [
    ...(proof?.suspectedAt == null ? [] : [{ at: proof.suspectedAt, text: 'growth suspected' }]),
    ...lives.slice(1).map(({ started }) => ({ at: Date.parse(started), text: 'restart' })),
  ].slice(0, 12);
}

function findingsHtml(report: Report): string {
  const views = findingViews(report);
  if (views.length === 0) return '<section><h2>Findings</h2><p>None.</p></section>';
  const left = views.length - mostFindings;
  return `<section><h2>Findings</h2>${views.slice(0, mostFindings).map(findingHtml).join('')}${left > 0 ? `<p class="muted">${left} more are in the JSON report.</p>` : ''}</section>`;
}

function findingHtml({ finding, title, holder, facts }: FindingView, index: number): string {
  const { severity, fix, knownLeak, fingerprint, trace } = finding;
  const tone = severity === 'high' || severity === 'critical' ? 'bad' : severity === 'info' ? '' : 'unsure';
  return `<article><h3><span class="tag ${tone}">${severity}</span> ${escapeHtml(title)}</h3>
<p>${escapeHtml(facts.join(' · '))}</p>
${holder === null ? '' : `<p>Held by <b>${escapeHtml(holder)}</b></p>`}
<p><b>Fix:</b> ${escapeHtml(fix)}</p>
${knownLeak === undefined ? '' : `<p><b>Known leak:</b> ${escapeHtml(knownLeak.name)}. ${escapeHtml(knownLeak.cure)} ${linkHtml(knownLeak.link)}</p>`}
${trace === undefined ? '' : `<details${index === 0 ? ' open' : ''}><summary>Leak trace, ${trace.length} steps from the root</summary>${traceHtml(trace)}</details>`}
<p class="muted">fingerprint ${escapeHtml(fingerprint)}</p></article>`;
}

function linkHtml(link: string): string {
  return /^https?:\/\//.test(link)
    ? `<a href="${escapeHtml(link)}" rel="noreferrer">${escapeHtml(link)}</a>`
    : escapeHtml(link);
}

function traceHtml(trace: NonNullable<Finding['trace']>): string {
  const steps = trace.map((step, i) => {
    const notes = [
      step.leaking === 'yes' ? `leaking: ${step.why}` : step.why,
      ...(step.scope === undefined ? [] : [`scope ${step.scope}`]),
      ...(step.retainedBytes === undefined ? [] : [`${formatByteSize(step.retainedBytes)} retained`]),
    ].filter((note) => note !== '');
    const next = trace[i + 1];
    return `<li class="${step.leaking}"><span class="name">${escapeHtml(i === 0 ? `root: ${step.name}` : step.name)}</span><span class="why">${escapeHtml(notes.join(' · '))}</span>${next === undefined ? '' : `<span class="via">↓ ${escapeHtml(next.via)}</span>`}</li>`;
  });
  return `<ol class="trace">${steps.join('')}</ol>`;
}

function grownHtml({ history }: Report): string {
  if (history === undefined) return '';
  const rows = history.grown.map(({ scope, bytesPerHour, errorPerHour, startBytes, endBytes, hours }) => [
    escapeHtml(scope),
    `${formatByteSize(bytesPerHour)} ± ${formatByteSize(errorPerHour)} per hour`,
    `${formatByteSize(startBytes)} to ${formatByteSize(endBytes)}`,
    formatDuration(hours * 3_600_000),
  ]);
  const table = htmlTable(
    'Scopes that grew beyond their noise',
    ['scope', 'growth', 'from and to', 'over'],
    rows,
  );
  return `<section><h2>What grew</h2>${rows.length === 0 ? '<p>Nothing grew by more than its noise.</p>' : table}<p class="muted">${history.samples.toLocaleString('en-US')} samples of ${history.runs.toLocaleString('en-US')} ${history.runs === 1 ? 'run' : 'runs'} in ${escapeHtml(history.dir)}.</p></section>`;
}

function holdersHtml({ readings }: Report): string {
  const scopes = readings.peaks
    .toSorted((a, b) => b.peakBytes - a.peakBytes)
    .slice(0, mostScopes)
    .map(({ path, peakBytes }) => [escapeHtml(path), formatByteSize(peakBytes)]);
  const keepers = readings.keepers
    .slice(0, mostScopes)
    .map((row) => [
      escapeHtml(row.name),
      escapeHtml(row.kind),
      formatByteSize(row.bytes),
      row.entries === null ? '' : row.entries.toLocaleString('en-US'),
      row.boundBytes === null ? '' : formatByteSize(row.boundBytes),
    ]);
  if (scopes.length + keepers.length === 0) return '';
  return `<section><h2>Who held it</h2>${htmlTable('Heaviest scopes', ['scope', 'peak'], scopes)}${htmlTable('Keepers at the end', ['keeper', 'kind', 'bytes', 'entries', 'bound'], keepers)}</section>`;
}

function eventsHtml({ readings, actions }: Report): string {
  const rows = [
    ...readings.levels.map(({ at, scope, from, level, usedBytes }) => ({
      at,
      cells: ['level', escapeHtml(scope), `${from} to ${level}, ${formatByteSize(usedBytes)}`],
    })),
    ...actions.map(({ at, action, outcome, text }) => ({
      at,
      cells: ['action', escapeHtml(action), `${escapeHtml(outcome)}: ${escapeHtml(text)}`],
    })),
  ]
    .toSorted((a, b) => a.at - b.at)
    .slice(-mostActions)
    .map(({ at, cells }) => [timeText(new Date(at).toISOString()), ...cells]);
  if (rows.length === 0) return '';
  return `<section><h2>What was done</h2>${htmlTable('Levels and actions', ['time', 'kind', 'of', 'what'], rows)}</section>`;
}

function processesHtml({ processes, lives }: Report): string {
  const rows = processes
    .slice(0, mostScopes)
    .map(({ pid, target, verdict, why }) => [
      String(pid),
      escapeHtml(target ?? 'unknown'),
      verdict,
      escapeHtml(why),
    ]);
  const ended = lives.map(({ started, ended: end, exit, restart, peakUsedBytes }) => [
    escapeHtml(timeText(started)),
    formatDuration(Date.parse(end) - Date.parse(started)),
    exit.signal ?? (exit.code === null ? 'running' : `exit code ${exit.code}`),
    peakUsedBytes === null ? 'not known' : formatByteSize(peakUsedBytes),
    escapeHtml(restart?.reason ?? ''),
  ]);
  if (rows.length < 2 && ended.length < 2) return '';
  return `<section><h2>Processes</h2>${rows.length < 2 ? '' : htmlTable('Verdict per process', ['pid', 'program', 'verdict', 'why'], rows)}${ended.length < 2 ? '' : htmlTable('Lives', ['started', 'lasted', 'end', 'peak used', 'restarted because'], ended)}</section>`;
}

function proofText({ proof }: Report): string {
  if (proof === null || proof.snapshots.length === 0) return 'No snapshot was taken.';
  const stops = proof.snapshots.map(({ stopMs }) => formatDuration(stopMs)).join(' and ');
  return `${proof.snapshots.length} snapshots were taken; the process stood still for ${stops}.`;
}

function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}
