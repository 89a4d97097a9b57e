import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { escapeHtml, htmlTable } from './html-text.ts';
import type { StressSection } from './stress-section.ts';

type Outcome =
  | 'ok'
  | 'failed'
  | 'undecided'
  | 'held'
  | 'hurt'
  | 'not reached'
  | 'confirmed'
  | 'rejected'
  | 'clean'
  | 'leak';

const tones: Readonly<Record<Outcome, string>> = {
  ok: 'good',
  held: 'good',
  confirmed: 'good',
  clean: 'good',
  failed: 'bad',
  hurt: 'bad',
  rejected: 'bad',
  leak: 'bad',
  undecided: 'unsure',
  'not reached': 'unsure',
};

/** The section of `plimsoll stress`: plans, faults, checks, hypotheses and untested parts. */
export function stressHtml(stress: StressSection): string {
  const reasons = stress.reasons.slice(1).map((reason) => `<li>${escapeHtml(reason)}</li>`);
  return [
    '<section><h2>Stress</h2>',
    `<p class="muted">Seed ${stress.seed}${stress.limitBytes === null ? '' : `, heap limit ${formatByteSize(stress.limitBytes)}`}${stress.isInterrupted ? ', stopped before its end' : ''}.</p>`,
    reasons.length === 0 ? '' : `<ul>${reasons.join('')}</ul>`,
    plansHtml(stress),
    hypothesesHtml(stress),
    checksHtml(stress),
    injectionsHtml(stress),
    callsHtml(stress),
    stress.notTried.length === 0
      ? ''
      : `<h3>Not tried</h3><ul>${stress.notTried.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
    '</section>',
  ].join('\n');
}

function plansHtml({ plans }: StressSection): string {
  return htmlTable(
    'Plans, each in a process of its own',
    [
      'plan',
      'lasted',
      'sessions',
      'calls',
      'failed',
      'p50',
      'p99',
      'live before',
      'live after',
      'per call',
      'verdict',
    ],
    plans.map((row) => [
      escapeHtml(row.plan),
      formatDuration(row.ms),
      count(row.sessions),
      count(row.calls),
      count(row.errors),
      ms(row.p50Ms),
      ms(row.p99Ms),
      bytes(row.startBytes),
      bytes(row.endBytes),
      signed(row.bytesPerCall),
      `${tag(row.verdict)} ${escapeHtml(row.why)}`,
    ]),
  );
}

function hypothesesHtml({ hypotheses }: StressSection): string {
  return htmlTable(
    'Hypotheses',
    ['name', 'hypothesis', 'result', 'measured'],
    hypotheses.map(({ id, text, outcome, measured }) => [
      escapeHtml(id),
      escapeHtml(text),
      tag(outcome),
      escapeHtml(measured),
    ]),
  );
}

function checksHtml({ checks }: StressSection): string {
  return htmlTable(
    'Failures that no status code shows',
    ['check', 'of', 'result', 'what was seen'],
    checks.map(({ kind, name, outcome, text }) => [kind, escapeHtml(name), tag(outcome), escapeHtml(text)]),
  );
}

function injectionsHtml({ injections }: StressSection): string {
  return htmlTable(
    'Injected faults',
    ['fault', 'what was done', 'happened', 'shown by', 'result', 'what followed'],
    injections.map((row) => [
      escapeHtml(row.name),
      escapeHtml(row.what),
      count(row.happened),
      escapeHtml(row.proof),
      tag(row.outcome),
      escapeHtml(row.note),
    ]),
  );
}

function callsHtml({ calls }: StressSection): string {
  return htmlTable(
    'Calls',
    ['call', 'count', 'failed', 'p50', 'p99'],
    calls.map((row) => [
      escapeHtml(row.call),
      count(row.count),
      count(row.errors),
      ms(row.p50Ms),
      ms(row.p99Ms),
    ]),
  );
}

function tag(outcome: Outcome): string {
  return `<span class="tag ${tones[outcome]}">${outcome}</span>`;
}

const count = (value: number): string => value.toLocaleString('en-US');
const ms = (value: number | null): string => (value === null ? '' : formatDuration(value));
const bytes = (value: number | null): string => (value === null ? '' : formatByteSize(value));

function signed(value: number | null): string {
  if (value === null) return '';
  return value < 0 ? `-${formatByteSize(-value)}` : `+${formatByteSize(value)}`;
}
