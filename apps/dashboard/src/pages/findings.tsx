import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '@plimsoll/host/protocol/frame';
import { severities } from '@plimsoll/host/protocol/text';
import { forecastOf } from '../live/frame-parts.ts';
import { frame, now } from '../live/state.ts';
import { SeverityBadge } from '../part/badge.tsx';
import { CopyButton } from '../part/copy-button.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { Trace } from '../part/trace.tsx';
import { linkTo, route } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { findingTitle, pasteSafe } from '../text/finding-text.ts';
import { bandText } from '../text/forecast-text.ts';
import { bytesText, countText, durationText, plural } from '../text/units.ts';

/** Findings with holder and fix, gravest first. */
export function FindingsPage(): JSX.Element {
  const findings = (frame.value?.findings ?? []).toSorted(
    (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity) || b.bytes - a.bytes,
  );
  if (findings.length === 0) return <NoFindings />;
  const forecast = frame.value === null ? null : forecastOf(frame.value);
  return (
    <div class="findings">
      {forecast === null || forecast.ms <= 0 ? null : (
        <p class="num">
          Full in <strong>{durationText(forecast.ms)}</strong> ({bandText(forecast)}) if memory goes on
          growing by {bytesText(forecast.bytesPerHour)} per hour.
        </p>
      )}
      {findings.map((finding) => (
        <FindingPanel key={finding.id} finding={finding} asked={route.value.query['id'] === finding.id} />
      ))}
    </div>
  );
}

function FindingPanel({
  finding,
  asked,
}: {
  readonly finding: Finding;
  readonly asked: boolean;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked) box.current?.scrollIntoView({ block: 'start' });
  }, [asked]);
  return (
    <div ref={box} class={asked ? 'asked' : ''}>
      <Panel
        title={findingTitle(finding)}
        aside={<CopyButton label="Copy without names" text={() => pasteSafe(finding)} />}
      >
        <p class="finding-line">
          <SeverityBadge severity={finding.severity} />
          <span class="num">{finding.bytes === 0 ? 'not weighed yet' : bytesText(finding.bytes)}</span>
          {finding.rate === undefined || finding.rate <= 0 ? null : (
            <span class="num">{bytesText(finding.rate)} per hour</span>
          )}
          <span class="num">
            {finding.kind === 'survivor'
              ? `${countText(finding.count)} of them`
              : `seen ${plural(finding.count, 'time')}`}
          </span>
          {finding.site === undefined ? null : (
            <span>
              made at <code>{finding.site}</code>
            </span>
          )}
          <span class="muted num">
            {whenText(finding.firstSeen, now.value)} to {whenText(finding.lastSeen, now.value)}
          </span>
          <span class="muted">
            fingerprint <code>{finding.fingerprint}</code>
          </span>
        </p>
        <Cure finding={finding} />
        {finding.trace === undefined || finding.trace.length === 0 ? (
          <p class="muted">
            Which reference holds it is read from a heap snapshot, and none was taken yet.{' '}
            <a href={linkTo('snapshot')}>Take one now</a>, or start with plimsoll run --proof: it takes one
            when something survives.
          </p>
        ) : (
          <Trace steps={finding.trace} />
        )}
        <p class="muted">
          first seen in <a href={linkTo('scope', { path: finding.scope })}>{finding.scope}</a>
        </p>
      </Panel>
    </div>
  );
}

function Cure({ finding }: { readonly finding: Finding }): JSX.Element {
  const { knownLeak, fix } = finding;
  return (
    <div class="cure">
      {knownLeak === undefined ? null : (
        <p>
          <strong>Known leak: {knownLeak.name}.</strong> {knownLeak.cure}{' '}
          <span class="muted">
            See <code class="link-text">{knownLeak.link}</code>
          </span>
        </p>
      )}
      {knownLeak?.cure === fix ? null : (
        <p>
          <strong>Fix:</strong> {fix}
        </p>
      )}
    </div>
  );
}

function NoFindings(): JSX.Element {
  return (
    <Empty title="No findings">
      <p>
        A finding appears here when memory stays that should be free: an object of a closed scope that is
        still alive after a major GC, growth that goes on, or a budget that is passed. It names who holds it
        and the fix.
      </p>
      <p>Name what must be gone when a scope closes, and it is checked:</p>
      <pre>{`session.watch(conversation, 'conversation'); // checked after session.close()`}</pre>
    </Empty>
  );
}
