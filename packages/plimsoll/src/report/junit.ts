import type { Report } from '../run/report.ts';
import { findingViews, headlineOf } from './view.ts';

interface Case {
  readonly group: string;
  readonly name: string;
  readonly failure?: string | undefined;
  readonly skipped?: string | undefined;
  readonly seconds?: number;
}

/** A report as JUnit XML: one case for the verdict and one for each finding, check, hypothesis and injected fault. */
export function reportJunit(report: Report): string {
  const cases = casesOf(report);
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const seconds = (Date.parse(report.ended) - Date.parse(report.started)) / 1000;
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="0" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="plimsoll" ${counts}>`,
    `  <testsuite name="${xml(report.target)}" timestamp="${xml(report.started.replace(/Z$/, ''))}" ${counts}>`,
    ...cases.map(caseXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(report: Report): readonly Case[] {
  const { word, tone, why } = headlineOf(report);
  const { stress } = report;
  return [
    {
      group: 'verdict',
      name: 'memory verdict',
      failure: tone === 'bad' ? `${word}: ${why}` : undefined,
      skipped: tone === 'unsure' && stress === undefined ? `${word}: ${why}` : undefined,
    },
    ...findingViews(report)
      .filter(({ finding }) => finding.severity !== 'info')
      .map(({ finding, title, holder, facts }) => ({
        group: 'finding',
        name: `${finding.fingerprint} ${title}`,
        failure: [
          `${finding.severity}: ${facts.join(', ')}`,
          ...(holder === null ? [] : [`held by ${holder}`]),
          `fix: ${finding.fix}`,
        ].join('\n'),
      })),
    ...(stress?.plans ?? []).map((row) => ({
      group: 'plan',
      name: row.plan,
      seconds: row.ms / 1000,
      failure: row.verdict === 'leak' ? row.why : undefined,
      skipped: row.verdict === 'undecided' ? row.why : undefined,
    })),
    ...(stress?.checks ?? []).map((row) => ({
      group: `check.${row.kind}`,
      name: row.name,
      failure: row.outcome === 'failed' ? row.text : undefined,
      skipped: row.outcome === 'undecided' ? row.text : undefined,
    })),
    ...(stress?.hypotheses ?? []).map((row) => ({
      group: 'hypothesis',
      name: `${row.id}: ${row.text}`,
      failure: row.outcome === 'rejected' ? row.measured : undefined,
      skipped: row.outcome === 'undecided' ? row.measured : undefined,
    })),
    ...(stress?.injections ?? []).map((row) => ({
      group: 'injection',
      name: `${row.name} (${row.plan})`,
      failure: row.outcome === 'hurt' ? row.note : undefined,
      skipped: row.outcome === 'not reached' ? row.note : undefined,
    })),
  ];
}

function caseXml({ group, name, failure, skipped, seconds }: Case): string {
  const head = `    <testcase classname="plimsoll.${xml(group)}" name="${xml(name)}" time="${(seconds ?? 0).toFixed(3)}"`;
  if (failure !== undefined) {
    const [first = ''] = failure.split('\n');
    return `${head}>\n      <failure message="${xml(first)}">${xml(failure)}</failure>\n    </testcase>`;
  }
  if (skipped !== undefined) return `${head}>\n      <skipped message="${xml(skipped)}"/>\n    </testcase>`;
  return `${head}/>`;
}

/** Text for XML 1.0, without control characters, which cannot be escaped. */
function xml(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- they are illegal in XML 1.0
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '·')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\n', '&#10;')
  );
}
