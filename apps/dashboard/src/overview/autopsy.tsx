import type { JSX } from 'preact';
import type { AutopsyAnswer, AutopsyRow } from '@plimsoll/host/protocol/api';
import { useQuery } from '../live/query.ts';
import { LevelBadge } from '../part/badge.tsx';
import { dateText } from '../text/clock.ts';
import { bytesText, countText, durationText, percentText } from '../text/units.ts';

/** Interval of requests for it, because the supervisor writes it shortly after the end, when the page may already be open. */
const againMs = 5000;
const shownFrames = 6;
const shownGrown = 6;

/** Why the shown process died, at the top of its page. Nothing for one that ended in order. */
export function AutopsyPanel(): JSX.Element | null {
  const { answer } = useQuery<AutopsyAnswer>('/api/autopsy', {}, againMs);
  if (answer === null || answer.autopsy === null) return null;
  return <AutopsyView autopsy={answer.autopsy} story={answer.story} />;
}

/** One autopsy, and the story of all deaths. */
export function AutopsyView({
  autopsy,
  story,
}: {
  readonly autopsy: AutopsyRow;
  readonly story: string | null;
}): JSX.Element {
  const { cause, memory, incident, fix } = autopsy;
  return (
    <section class="panel state autopsy tone-critical" aria-label="Autopsy">
      <h2 class="state-title">It died: {cause.text}</h2>
      <p class="muted num">{autopsyFacts(autopsy)}</p>
      {story === null ? null : <p class="autopsy-story">{story}</p>}
      <dl class="autopsy-parts">
        <Row
          name={cause.sure === 'sure' ? 'Evidence, sure' : `Evidence, ${cause.sure}`}
          lines={cause.evidence}
        />
        {memory === null ? null : (
          <div>
            <dt>Memory</dt>
            <dd class="num">
              {bytesText(memory.used)} of {bytesText(memory.limit)} ({percentText(memory.used / memory.limit)}
              , {memory.source}) <LevelBadge level={memory.level} />
              <br />
              <span class="muted">{kindsText(memory)}</span>
            </dd>
          </div>
        )}
        <Row name="Grew most" lines={grownLines(autopsy)} />
        <Row name="In flight" lines={flightLines(autopsy)} />
        <Row name="Incident" lines={incident === null ? [] : [incident]} />
        <Row name="Held by" lines={containerLines(autopsy)} isCode />
        <Row name="Allocated by" lines={siteLines(autopsy)} isCode />
        <Row name="Stack" lines={autopsy.stack.slice(0, shownFrames)} isCode />
        <Row name="Fix" lines={[fix]} />
      </dl>
    </section>
  );
}

function Row({
  name,
  lines,
  isCode = false,
}: {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isCode?: boolean;
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {lines.map((line) => (
          <div key={line}>{isCode ? <code>{line}</code> : line}</div>
        ))}
      </dd>
    </div>
  );
}

/** Time of death, age and release. */
export function autopsyFacts({ pid, startedAt, endedAt, release, cause }: AutopsyRow): string {
  return [
    `pid ${pid}`,
    ...(endedAt === null ? [] : [dateText(endedAt)]),
    ...(startedAt === null || endedAt === null ? [] : [`after ${durationText(endedAt - startedAt)}`]),
    ...(release === null ? [] : [`release ${release}`]),
    cause.name,
  ].join(', ');
}

export function grownLines({ grew }: Pick<AutopsyRow, 'grew'>): readonly string[] {
  return grew
    .filter(({ grewBytes }) => grewBytes > 0)
    .slice(0, shownGrown)
    .map(({ name, bytes, grewBytes }) => `${name}: +${bytesText(grewBytes)}, ${bytesText(bytes)} at the end`);
}

/** The containers that grew, by the last words of the process. */
export function containerLines({ lastWords }: Pick<AutopsyRow, 'lastWords'>): readonly string[] {
  return (lastWords?.containers ?? [])
    .slice(0, shownFrames)
    .map(
      ({ name, entries, gained }) => `${name}: ${countText(entries)} entries, ${countText(gained)} gained`,
    );
}

/** The code that allocated the memory, by the last words of the process. */
export function siteLines({ lastWords }: Pick<AutopsyRow, 'lastWords'>): readonly string[] {
  return (lastWords?.sites ?? []).slice(0, shownFrames).map(({ name, where, bytes, bytesPerHour }) => {
    const held = bytesPerHour === undefined ? bytesText(bytes ?? 0) : `+${bytesText(bytesPerHour)} per hour`;
    return `${name} (${where}): ${held}`;
  });
}

export function flightLines({
  open,
  refused,
  running,
}: Pick<AutopsyRow, 'open' | 'refused' | 'running'>): readonly string[] {
  const kinds = Object.entries(open).filter(([, count]) => count > 0);
  return [
    ...(kinds.length === 0
      ? []
      : [`open: ${kinds.map(([kind, count]) => `${countText(count)} ${kind}`).join(', ')}`]),
    ...(refused === 0 ? [] : [`${countText(refused)} refused`]),
    ...(running.length === 0 ? [] : [`running: ${running.join(', ')}`]),
  ];
}

function kindsText(memory: NonNullable<AutopsyRow['memory']>): string {
  return [
    `heap ${bytesText(memory.heapUsed)}`,
    ...(memory.floor === null ? [] : [`floor ${bytesText(memory.floor)}`]),
    `external ${bytesText(memory.external)}`,
    `array buffers ${bytesText(memory.arrayBuffers)}`,
    `rss ${bytesText(memory.rss)}`,
  ].join(', ');
}
