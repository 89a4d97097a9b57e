import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../../../packages/leak/src/findings/finding.ts';
import { bandText } from '../overview/forecast-shape.ts';
import { severities } from '../findings/severity-order.ts';
import { frame, now } from '../live/state.ts';
import { SeverityBadge } from '../part/badge.tsx';
import { CopyButton } from '../part/copy-button.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { Trace } from '../part/trace.tsx';
import { linkTo, route } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { pasteSafe } from '../text/finding-text.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText } from '../text/units.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

/** What leaks, who holds it, and what to do about it; gravest first. */
export function FindingsPage(): JSX.Element {
  const findings = (frame.value?.findings ?? []).toSorted(
    (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity) || b.bytes - a.bytes,
  );
  if (findings.length === 0) return <NoFindings />;
  return (
    <div class="findings">
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
        title={`${finding.kind} in ${finding.scope}`}
        aside={<CopyButton label="Copy paste-safe" text={() => pasteSafe(finding)} />}
      >
        <p class="finding-line">
          <SeverityBadge severity={finding.severity} />
          <span class="num">{finding.bytes === 0 ? 'not weighed yet' : bytesText(finding.bytes)}</span>
          {finding.rate === undefined || finding.rate <= 0 ? null : (
            <span class="num">{bytesText(finding.rate)} per hour</span>
          )}
          <span class="num">
            seen {countText(finding.count)} {finding.count === 1 ? 'time' : 'times'}
          </span>
          <span class="muted num">
            {whenText(finding.firstSeen, now.value)} to {whenText(finding.lastSeen, now.value)}
          </span>
          <span class="muted">
            fingerprint <code>{finding.fingerprint}</code>
          </span>
        </p>
        {finding.exhaustsIn === undefined ? null : (
          <p class="finding-forecast num">
            Limit reached in <strong>{durationText(finding.exhaustsIn.ms)}</strong>{' '}
            <span class="muted">({bandText(finding.exhaustsIn)})</span>
          </p>
        )}
        <Cure finding={finding} />
        {finding.trace === undefined || finding.trace.length === 0 ? (
          <p class="muted">
            No trace yet. Which reference holds it is read from heap snapshots: plimsoll dev and run --proof
            take them at a suspicion and read them when the program ends.
          </p>
        ) : (
          <Trace steps={finding.trace} />
        )}
        <p class="muted">
          <a href={linkTo('scope', { path: finding.scope })}>the scope</a>
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
        When a scope is closed, what it owned must become unreachable. What does not is found after the next
        major GC, and a heap snapshot shows which reference holds it.
      </p>
      <pre>{`session.watch(conversation, 'conversation'); // must be gone after session.close()`}</pre>
      <p>To see one, start the example with a planted leak: npm start -- --leak session-map</p>
    </Empty>
  );
}
