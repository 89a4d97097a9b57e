import type { JSX } from 'preact';
import type { DelegationRow, Frame, KeeperRow } from '@plimsoll/host/protocol/frame';
import { delegationOf, keepersOf } from '../live/frame-parts.ts';
import { Panel } from '../part/panel.tsx';
import { Waterline } from '../part/waterline.tsx';
import { linkTo } from '../shell/route.ts';
import { bytesText, countText, percentText, plural } from '../text/units.ts';
import { Table } from '../part/table.tsx';

const most = 100;

/** The keepers of the program, heaviest first, and the delegations; nothing without any. */
export function KeeperPanel({ shown }: { readonly shown: Frame }): JSX.Element | null {
  const keepers = keepersOf(shown).toSorted((a, b) => b.bytes - a.bytes);
  const delegation = delegationOf(shown);
  if (keepers.length === 0 && delegation === null) return null;
  const outside = keepers.filter((row) => row.scope === null).reduce((sum, row) => sum + row.bytes, 0);
  return (
    <Panel
      title={plural(keepers.length, 'keeper')}
      aside={outside === 0 ? 'caches, buffers and windows' : `${bytesText(outside)} of them in no scope`}
    >
      {keepers.length === 0 ? null : <KeeperTable keepers={keepers.slice(0, most)} />}
      {keepers.length > most ? <p class="muted">The {most} heaviest are shown.</p> : null}
      {delegation === null ? null : <Delegation row={delegation} />}
    </Panel>
  );
}

const count = (value: number | null): string => (value === null ? '–' : countText(value));

function KeeperTable({ keepers }: { readonly keepers: readonly KeeperRow[] }): JSX.Element {
  return (
    <Table
      label="Keepers by bytes"
      columns={['Keeper', 'Charged to', 'Bytes', 'Of its bound', 'Entries', 'Parked', 'Hits', 'Leases']}
      right={['Bytes', 'Entries', 'Parked', 'Hits', 'Leases']}
      class="keepers"
    >
      {keepers.map((row, index) => (
        <tr key={`${row.kind} ${row.name} ${index}`}>
          <th scope="row">
            <code>{row.name}</code> <span class="muted">{row.kind}</span>
          </th>
          <td>
            {row.scope === null ? (
              <span class="muted">no scope</span>
            ) : (
              <a href={linkTo('scope', { path: row.scope })}>
                <code>{row.scope.replace(/^process\//, '')}</code>
              </a>
            )}
          </td>
          <td class="num right">{bytesText(row.bytes)}</td>
          <td>
            <Bound row={row} />
          </td>
          <td class="num right">
            {count(row.entries)}
            {row.boundEntries === null ? null : <span class="muted"> of {countText(row.boundEntries)}</span>}
          </td>
          <td class="num right">{count(row.parked)}</td>
          <td class="num right">{percentText(row.hitRatio)}</td>
          <td class="num right">{count(row.leases)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Bound({ row }: { readonly row: KeeperRow }): JSX.Element {
  if (row.boundBytes === null)
    return <span class="muted">{row.boundEntries === null ? 'none' : 'by entries'}</span>;
  return (
    <Waterline
      label={`${row.name}, ${row.kind}`}
      used={row.bytes}
      limit={row.boundBytes}
      level={row.bytes > row.boundBytes ? 'critical' : 'normal'}
    />
  );
}

function Delegation({ row }: { readonly row: DelegationRow }): JSX.Element {
  const asked = row.started + row.denied;
  return (
    <p class="num">
      Delegations: {countText(row.active)} running, {row.depth} deep; {countText(row.denied)} of{' '}
      {countText(asked)} refused ({percentText(asked === 0 ? 0 : row.blockedRatio)}).
    </p>
  );
}
