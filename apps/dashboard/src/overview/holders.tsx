import type { JSX } from 'preact';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { holdersOf } from '@plimsoll/host/protocol/text';
import { keepersOf } from '../live/frame-parts.ts';
import { Empty, Panel } from '../part/panel.tsx';
import { Waterline } from '../part/waterline.tsx';
import { linkTo } from '../shell/route.ts';
import { bytesText, countText, percentText, plural } from '../text/units.ts';

const most = 6;

interface HolderRow {
  readonly key: string;
  readonly name: string;
  readonly href: string;
  readonly bytes: number;
  readonly bound: number | null;
  readonly level: Frame['level'];
  readonly note: string;
}

/** The holders of the memory: its parts, and the heaviest scopes and keepers. */
export function HoldersPanel({ shown }: { readonly shown: Frame }): JSX.Element {
  const rows = heaviest(shown);
  return (
    <Panel
      title="Who holds it"
      aside={
        <a href={linkTo('scopes')}>
          all {plural(shown.scopeCount, 'scope')}
          {keepersOf(shown).length === 0 ? '' : ` and ${plural(keepersOf(shown).length, 'keeper')}`}
        </a>
      }
    >
      <Split shown={shown} />
      {rows.length === 0 ? (
        <Empty title="No scope is open">
          <p>
            Memory is known for the whole process only. <a href={linkTo('scopes')}>Open scopes</a> to see who
            holds it.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {rows.map((row) => (
            <li key={row.key}>
              <a class="row-link heaviest" href={row.href}>
                <code class="one-line">{row.name}</code>
                {row.bound === null ? (
                  <span class="muted">{row.note}</span>
                ) : (
                  <Waterline label={row.name} used={row.bytes} limit={row.bound} level={row.level} />
                )}
                <span class="num">{bytesText(row.bytes)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <Kinds shown={shown} />
    </Panel>
  );
}

function heaviest(shown: Frame): readonly HolderRow[] {
  const scopes = shown.scopes
    .filter((row) => row.kind !== 'unattributed' && row.bytes > 0)
    .map((row): HolderRow => ({
      key: row.path,
      name: row.path.replace(/^process\//, ''),
      href: linkTo('scope', { path: row.path }),
      bytes: row.bytes,
      bound: row.budgetBytes,
      level: row.level,
      note: 'no budget',
    }));
  const keepers = keepersOf(shown)
    .filter((row) => row.bytes > 0)
    .map((row): HolderRow => ({
      key: `keeper ${row.name}`,
      name: `${row.kind} ${row.name}`,
      href: linkTo('scopes'),
      bytes: row.bytes,
      bound: row.boundBytes,
      level: 'normal',
      note: 'no byte bound',
    }));
  return [...scopes, ...keepers].sort((a, b) => b.bytes - a.bytes).slice(0, most);
}

/** The bytes that were alive at the last major GC, in three parts that add up. */
function Split({ shown }: { readonly shown: Frame }): JSX.Element {
  const holders = holdersOf(shown);
  if (holders === null) return <p class="muted">Known after the first major GC.</p>;
  const { scopes, keepers, rest, total } = holders;
  const parts = [
    { name: 'in scopes', bytes: scopes, tone: 'split-scopes' },
    { name: 'in keepers outside of scopes', bytes: keepers, tone: 'split-keepers' },
    { name: 'in neither', bytes: rest, tone: 'split-rest' },
  ].filter(({ bytes, tone }) => bytes > 0 || tone !== 'split-keepers');
  const share = (bytes: number): number => (total === 0 ? 0 : bytes / total);
  return (
    <div class="split">
      <p class="muted">
        <span class="num">{bytesText(total)}</span> of heap and external memory were alive at the last major
        GC:
      </p>
      <div class="split-bar" aria-hidden="true">
        {parts.map(({ name, bytes, tone }) => (
          <span key={name} class={tone} style={{ width: `${share(bytes) * 100}%` }} />
        ))}
      </div>
      <ul class="split-parts">
        {parts.map(({ name, bytes, tone }) => (
          <li key={name}>
            <span class={`split-dot ${tone}`} aria-hidden="true" />
            <span class="num">{bytesText(bytes)}</span> {name}{' '}
            <span class="muted num">{percentText(share(bytes))}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const mostKinds = 5;

function Kinds({ shown }: { readonly shown: Frame }): JSX.Element | null {
  const kinds = shown.kinds.toSorted((a, b) => b.open - a.open).slice(0, mostKinds);
  if (kinds.length === 0) return null;
  return (
    <p class="muted num">
      Open now:{' '}
      {kinds.map(({ kind, open, opened }) => `${plural(open, kind)} (${countText(opened)} ever)`).join(', ')}
    </p>
  );
}
