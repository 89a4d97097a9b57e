import type { JSX } from 'preact';
import type { Frame, LevelName } from '../../../../packages/host/src/protocol/api.ts';
import { Panel } from '../part/panel.tsx';
import { Waterline } from '../part/waterline.tsx';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText, percentText } from '../text/units.ts';

const names: Readonly<Record<string, string>> = {
  heap: 'V8 heap',
  cgroup: 'container',
  native: 'native memory',
  rss: 'resident memory',
  policy: 'policy, whole process',
};

const mostKinds = 4;

/** Every limit with what counts against it: the nearest one binds. */
export function SourceList({ shown }: { readonly shown: Frame }): JSX.Element {
  const { reading, limits, level } = shown;
  const kinds = shown.kinds.toSorted((a, b) => b.bytes - a.bytes || b.open - a.open).slice(0, mostKinds);
  // A ledger keeps the limit that bound, not the others.
  const pressures =
    reading.pressures.length > 0
      ? reading.pressures
      : [{ source: limits.source, used: reading.used, limit: reading.limit }];
  return (
    <Panel title="Used of limit, by source" aside="the nearest limit binds">
      <ul class="sources">
        {pressures.map(({ source, used, limit }, index) => (
          <li key={source}>
            <span class="source-name">
              {names[source] ?? source}
              {index === 0 ? <span class="binds">binds</span> : null}
            </span>
            <Waterline
              label={names[source] ?? source}
              used={used}
              limit={limit}
              level={index === 0 ? level : ('normal' satisfies LevelName)}
            />
            <span class="source-text num">
              {bytesText(used)} <span class="muted">of {bytesText(limit)}</span> {percentText(used / limit)}
            </span>
          </li>
        ))}
      </ul>
      <dl class="facts num">
        <div>
          <dt>heap used</dt>
          <dd>{bytesText(reading.heapUsed)}</dd>
        </div>
        <div>
          <dt>external</dt>
          <dd>{bytesText(reading.external)}</dd>
        </div>
        <div>
          <dt>ArrayBuffers</dt>
          <dd>{bytesText(reading.arrayBuffers)}</dd>
        </div>
        <div>
          <dt>resident</dt>
          <dd>{bytesText(reading.rss)}</dd>
        </div>
      </dl>
      {kinds.length === 0 ? null : (
        <div class="scroll kinds">
          <table>
            <thead>
              <tr>
                <th scope="col">scopes by kind</th>
                <th scope="col" class="right">
                  open
                </th>
                <th scope="col" class="right">
                  opened ever
                </th>
                <th scope="col" class="right">
                  bytes
                </th>
              </tr>
            </thead>
            <tbody>
              {kinds.map(({ kind, open, opened, bytes }) => (
                <tr key={kind}>
                  <th scope="row">{kind}</th>
                  <td class="num right">{countText(open)}</td>
                  <td class="num right">{countText(opened)}</td>
                  <td class="num right">{bytesText(bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
