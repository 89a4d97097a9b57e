import type { Finding, Frame } from '@plimsoll/host/protocol/frame';
import { suspicionOf } from '@plimsoll/host/protocol/text';
import { forecastOf, survivorsOf } from '../live/frame-parts.ts';
import { suspicionText } from './forecast-shape.ts';
import { bandText } from '../text/forecast-text.ts';
import { bytesText, countText, durationText, plural, usedOfText } from '../text/units.ts';

type Tone = 'calm' | 'warning' | 'critical';

/** One sentence that asks for attention, and the page with details. */
interface Sign {
  readonly tone: Tone;
  readonly text: string;
  readonly page: string;
}

/** The first part of the overview. */
interface State {
  readonly tone: Tone;
  readonly title: string;
  /** One sentence below the title. */
  readonly text: string;
  /** Signs that need attention, gravest first. */
  readonly signs: readonly Sign[];
}

/** Above this share of the limit there is a sign, with or without a policy. */
const nearRatio = 0.8;
const hourMs = 3_600_000;

/** The state of a process as a title, a sentence and signs. */
export function stateOf(frame: Frame): State {
  const pressure = pressureSigns(frame);
  const signs = [
    ...pressure,
    ...forecastSigns(frame),
    ...survivorSigns(frame),
    ...findingSigns(frame),
    ...approvalSigns(frame),
  ].sort((a, b) => rank[b.tone] - rank[a.tone]);
  const used = usedOfText(frame.reading.used, frame.reading.limit);
  if (signs.length === 0) return { tone: 'calm', signs, ...calm(frame, used) };
  const tone = signs[0]?.tone ?? 'warning';
  const title = tone === 'critical' ? 'Needs attention now' : 'Needs attention';
  // The sentence about pressure has the same numbers.
  return { tone, title, text: pressure.length > 0 ? '' : `${used} used.`, signs };
}

const rank: Readonly<Record<Tone, number>> = { calm: 0, warning: 1, critical: 2 };

function calm(frame: Frame, used: string): { readonly title: string; readonly text: string } {
  const heap = frame.growth?.channels.heap;
  if (heap !== undefined && suspicionOf(frame.growth) !== null)
    return {
      title: 'Growth is being watched',
      text: `${used} used. What stays after a major GC rose by ${bytesText(heap.growthBytes)}${suspicionText(frame)}. It is being looked at.`,
    };
  if (heap?.shape === 'flat')
    return {
      title: 'All is well',
      text: `${used} used. What stays after a major GC does not rise (${heap.floors} looked at).`,
    };
  if (heap?.shape === 'ended')
    return {
      title: 'All is well',
      text: `${used} used. What stays after a major GC rose by ${bytesText(heap.growthBytes)} and came to rest.`,
    };
  return {
    title: 'Nothing to do',
    text: `${used} used. Whether it grows is not known yet (${plural(frame.reading.majors, 'major GC')} so far).`,
  };
}

function pressureSigns({ reading, level, policy, governance }: Frame): Sign[] {
  const used = usedOfText(reading.used, reading.limit);
  const signs: Sign[] = [];
  const ratio = reading.used / reading.limit;
  if (ratio >= 1) signs.push({ tone: 'critical', text: `The limit is reached: ${used}.`, page: 'history' });
  else if (level !== 'normal')
    signs.push({
      tone: level === 'warning' ? 'warning' : 'critical',
      text: `Level ${level} at ${used}. ${actingText(policy.mode)}`,
      page: 'actions',
    });
  else if (ratio >= nearRatio)
    signs.push({ tone: 'warning', text: `Near the limit: ${used}.`, page: 'history' });
  const { admission } = governance;
  if (admission !== null && admission.state !== 'open')
    signs.push({
      tone: 'critical',
      text: `New work is being refused (${countText(admission.refused)} so far).`,
      page: 'actions',
    });
  return signs;
}

function actingText(mode: string): string {
  if (mode === 'enforce') return 'The ladder of the policy acts.';
  return mode === 'shadow'
    ? 'Mode shadow: actions are recorded and not run.'
    : 'Mode observe: no action runs.';
}

function forecastSigns(frame: Frame): Sign[] {
  const forecast = forecastOf(frame);
  if (forecast === null) return [];
  const { ms, bytesPerHour } = forecast;
  return [
    {
      tone: ms < hourMs ? 'critical' : 'warning',
      text:
        ms <= 0
          ? `Memory grows by ${bytesText(bytesPerHour)} per hour and the limit is reached.`
          : `Full in ${durationText(ms)} (${bandText(forecast)}) if it goes on growing by ${bytesText(bytesPerHour)} per hour.`,
      page: 'findings',
    },
  ];
}

function survivorSigns(frame: Frame): Sign[] {
  const { count, bytes, worst } = survivorsOf(frame);
  if (worst === undefined) return [];
  const weight = bytes === 0 ? '' : `, ${bytesText(bytes)}`;
  return [
    {
      tone: isGrave(worst) ? 'critical' : 'warning',
      text: `${plural(count, 'object')} of closed scopes ${count === 1 ? 'is' : 'are'} still alive${weight}.`,
      page: 'findings',
    },
  ];
}

function findingSigns({ findings }: Frame): Sign[] {
  const others = findings.filter(({ kind, severity }) => kind !== 'survivor' && severity !== 'info');
  const [worst] = others;
  if (worst === undefined) return [];
  return [
    {
      tone: isGrave(worst) ? 'critical' : 'warning',
      text: `${plural(others.length, 'finding')}${others.length === 1 ? '' : ', the gravest'}: ${worst.severity} ${worst.kind} in ${worst.scope}.`,
      page: 'findings',
    },
  ];
}

function isGrave({ severity }: Finding): boolean {
  return severity === 'high' || severity === 'critical';
}

function approvalSigns({ governance, at }: Frame): Sign[] {
  const open = governance.approvals.filter((row) => row.state === 'open');
  if (open.length === 0) return [];
  const first = Math.min(...open.map((row) => row.deadlineAt));
  return [
    {
      tone: 'warning',
      text: `${plural(open.length, 'approval')} ${open.length === 1 ? 'waits' : 'wait'} for an answer, the first for another ${durationText(Math.max(0, first - at))}.`,
      page: 'approvals',
    },
  ];
}
