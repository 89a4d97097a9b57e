import type { JSX } from 'preact';
import type { Frame, Level } from '@plimsoll/host/protocol/frame';
import { readingFields } from '@plimsoll/host/protocol/text';
import { Panel } from '../part/panel.tsx';
import { Waterline } from '../part/waterline.tsx';
import { bytesText, percentText } from '../text/units.ts';

const names: Readonly<Record<string, string>> = {
  heap: 'V8 heap',
  cgroup: 'container',
  native: 'native memory',
  rss: 'resident memory',
  policy: 'policy, whole process',
};

const facts = ['heapUsed', 'external', 'arrayBuffers', 'rss'] as const;

/** Every limit with its used bytes, and the sizes that the operating system and V8 report. */
export function SourceList({ shown }: { readonly shown: Frame }): JSX.Element {
  const { reading, limits, level } = shown;
  // A ledger keeps only the limit that bound.
  const pressures =
    reading.pressures.length > 0
      ? reading.pressures
      : [{ source: limits.source, used: reading.used, limit: reading.limit }];
  return (
    <Panel title="Limits" aside={pressures.length > 1 ? 'the first one is nearest' : undefined}>
      <ul class="sources">
        {pressures.map(({ source, used, limit }, index) => (
          <li key={source}>
            <span class="source-name">{names[source] ?? source}</span>
            <Waterline
              label={names[source] ?? source}
              used={used}
              limit={limit}
              level={index === 0 ? level : ('normal' satisfies Level)}
            />
            <span class="source-text num">
              {bytesText(used)} <span class="muted">of {bytesText(limit)}</span> {percentText(used / limit)}
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">{limits.text}</p>
      <dl class="facts num">
        {facts.map((field) => (
          <div key={field}>
            <dt>{readingFields[field].label}</dt>
            <dd>{bytesText(reading[field])}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
