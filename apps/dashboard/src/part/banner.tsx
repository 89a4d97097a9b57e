import type { JSX } from 'preact';
import { reconnect } from '../live/connect.ts';
import { clock, connection, frame, isHistorical, session, skippedEvents } from '../live/state.ts';
import { dateText, timeText } from '../text/clock.ts';
import { durationText } from '../text/units.ts';

/** Warning above the numbers: the connection is lost, or the process has ended. */
export function Banner(): JSX.Element | null {
  const { state, since, retryAt, why } = connection.value;
  if (state === 'lost') {
    const wait = Math.max(0, (retryAt ?? 0) - clock.value);
    return (
      <div class="banner banner-lost" role="status">
        <strong>Disconnected since {timeText(since)}</strong>
        <span>
          ({why}). What you see is as old as that. Trying again{' '}
          {wait < 1000 ? 'now' : `in ${durationText(wait)}`}.
        </span>
        <button type="button" onClick={reconnect}>
          Try now
        </button>
      </div>
    );
  }
  if (isHistorical.value && frame.value !== null) {
    const process = session.value?.process;
    return (
      <div class="banner banner-history" role="status">
        <strong>History, nothing here is live</strong>
        <span>
          {frame.value.target} {process?.state === 'died' ? 'died' : 'ended'}, last heard of{' '}
          {dateText(process?.endedAt ?? frame.value.at)}. The ledger tells.
        </span>
      </div>
    );
  }
  return <Faults />;
}

function Faults(): JSX.Element | null {
  const shown = frame.value;
  const faults = [
    shown?.policy.fault == null
      ? null
      : `the policy file is refused${shown.policy.faultSince == null ? '' : ` since ${dateText(shown.policy.faultSince)}`}, the one before stays in force: ${shown.policy.fault}`,
    shown?.policy.givenUp ?? null,
    shown?.resume === undefined ? null : `the life before this one: ${shown.resume.text}`,
    shown?.ledger.fault == null ? null : `ledger: ${shown.ledger.fault}`,
    skippedEvents.value === 0
      ? null
      : `this page was too slow for ${skippedEvents.value} updates and left them out`,
  ].filter((fault) => fault !== null);
  if (faults.length === 0) return null;
  return (
    <div class="banner banner-fault" role="status">
      {faults.map((fault) => (
        <span key={fault}>{fault}</span>
      ))}
    </div>
  );
}
