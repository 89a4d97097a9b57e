import type { JSX } from 'preact';
import type { Incident, IncidentEvent } from '@plimsoll/host/protocol/frame';
import { now } from '../live/state.ts';
import { linkTo } from '../shell/route.ts';
import { timeText } from '../text/clock.ts';
import { bytesText, countText, durationText, freedText } from '../text/units.ts';

/** The incident: headline, events, cost and fix. */
export function IncidentPanel({ incident }: { readonly incident: Incident }): JSX.Element {
  const { headline, level, outcome, events, fix, eventsLeftOut } = incident;
  const tone = level === 'normal' || level === 'warning' ? 'warning' : 'critical';
  return (
    <section class={`panel state incident tone-${tone}`} aria-label="Incident">
      <h2 class="state-title">{headline}</h2>
      <p class="muted num">{factsText(incident, now.value)}</p>
      {fix === null ? null : (
        <p>
          <strong>Fix:</strong> {fix} <a href={linkTo('findings')}>the evidence</a>
        </p>
      )}
      <details open={outcome === null && events.length <= 8}>
        <summary>What happened ({countText(events.length + eventsLeftOut)} steps)</summary>
        <ol class="time-line">
          {events.map((event) => (
            <li key={`${event.at} ${event.text}`} class={`time-line-${event.kind}`}>
              <span class="muted num">{timeText(event.at)}</span> <span>{eventText(event)}</span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}

/** Its duration, the number of refusals and the freed bytes. */
export function factsText(incident: Incident, at: number): string {
  const { openedAt, endedAt, outcome, refused, freedBytes, peakUsedBytes, id } = incident;
  const lasted = durationText(Math.max(0, (endedAt ?? at) - openedAt));
  return [
    outcome === null ? `Incident ${id}, for ${lasted}` : `Incident ${id} ended after ${lasted}: ${outcome}`,
    `at most ${bytesText(peakUsedBytes)} used`,
    ...(freedBytes > 0 ? [`${bytesText(freedBytes)} freed`] : []),
    ...(refused > 0 ? [`${countText(refused)} pieces of work refused`] : []),
  ].join(', ');
}

function eventText({ text, count, until, at, freedBytes }: IncidentEvent): string {
  const times = count === 1 ? '' : ` (${countText(count)} times in ${durationText(until - at)})`;
  const freed = freedBytes === null ? '' : `, ${freedText(freedBytes)}`;
  return `${text}${freed}${times}`;
}
