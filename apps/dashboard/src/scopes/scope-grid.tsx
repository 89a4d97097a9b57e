import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ageOf, idleOf } from '../live/known-scopes.ts';
import { Waterline } from '../part/waterline.tsx';
import { linkTo } from '../shell/route.ts';
import { bytesText, countText, durationText } from '../text/units.ts';
import type { SortKey, TreeLine, TreeView } from './tree.ts';

const rowHeight = 28;
const headHeight = 30;
const gridHeight = 560;

interface GridProps {
  readonly lines: readonly TreeLine[];
  readonly view: TreeView;
  readonly now: number;
  readonly onSort: (sort: SortKey) => void;
  readonly onFold: (path: string, folded: boolean) => void;
}

const heads: readonly { readonly key: SortKey; readonly title: string; readonly wide?: boolean }[] = [
  { key: 'name', title: 'Scope' },
  { key: 'bytes', title: 'Bytes' },
  { key: 'budget', title: 'Of budget' },
  { key: 'peak', title: 'Peak', wide: true },
  { key: 'age', title: 'Age', wide: true },
  { key: 'idle', title: 'Idle', wide: true },
  { key: 'leases', title: 'Leases', wide: true },
];

/** The scopes as a tree. Only visible lines are in the document, so ten thousand cost as much as forty. */
export function ScopeGrid(props: GridProps): JSX.Element {
  const { lines, view, now, onSort, onFold } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const slice = visibleSlice(scrollTop, gridHeight, rowHeight, lines.length);
  const index = chosen === undefined ? -1 : lines.findIndex((line) => line.path === chosen);
  useEffect(() => {
    if (box.current !== null && box.current.scrollTop > lines.length * rowHeight) box.current.scrollTop = 0;
  }, [lines.length]);
  const choose = (row: number): void => {
    const next = lines[Math.max(0, Math.min(lines.length - 1, row))];
    if (next === undefined || box.current === null) return;
    setChosen(next.path);
    box.current.scrollTop = scrollFor(lines.indexOf(next), box.current.scrollTop, gridHeight, rowHeight);
  };
  return (
    <div
      class="grid"
      role="treegrid"
      aria-label="Open scopes; arrow keys move and fold, Enter opens"
      aria-rowcount={lines.length + 1}
      ref={box}
      tabIndex={0}
      {...(index >= slice.first && index < slice.last && { 'aria-activedescendant': `scope-${index}` })}
      style={{ maxHeight: `${gridHeight + headHeight}px` }}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={(event) => onKey(event, { lines, index, choose, onFold })}
    >
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {heads.map(({ key, title, wide }) => (
          <div
            key={key}
            role="columnheader"
            class={wide === true ? 'wide' : ''}
            aria-sort={view.sort === key ? (view.descending ? 'descending' : 'ascending') : 'none'}
          >
            <button type="button" onClick={() => onSort(key)}>
              {title}
              {view.sort === key ? <span aria-hidden="true">{view.descending ? ' ↓' : ' ↑'}</span> : null}
            </button>
          </div>
        ))}
      </div>
      <div role="rowgroup" class="grid-space" style={{ height: `${lines.length * rowHeight}px` }}>
        {lines.slice(slice.first, slice.last).map((line, offset) => (
          <GridLine
            key={line.path}
            line={line}
            row={slice.first + offset}
            now={now}
            chosen={line.path === chosen}
            onFold={onFold}
            onChoose={choose}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly line: TreeLine;
  readonly row: number;
  readonly now: number;
  readonly chosen: boolean;
  readonly onFold: (path: string, folded: boolean) => void;
  readonly onChoose: (row: number) => void;
}

function GridLine({ line, row, now, chosen, onFold, onChoose }: LineProps): JSX.Element {
  const { known, path, name, depth, children, open, bytes } = line;
  return (
    <div
      role="row"
      id={`scope-${row}`}
      class={chosen ? 'grid-row chosen' : 'grid-row'}
      aria-rowindex={row + 2}
      aria-level={depth + 1}
      aria-selected={chosen}
      {...(children > 0 && { 'aria-expanded': open })}
      style={{ transform: `translateY(${row * rowHeight}px)` }}
      onClick={() => onChoose(row)}
    >
      <div role="gridcell" class="grid-name" style={{ paddingLeft: `${Math.min(depth, 8) * 14}px` }}>
        {children === 0 ? (
          <span class="fold" />
        ) : (
          <button
            type="button"
            class="fold"
            tabIndex={-1}
            aria-label={open ? `fold ${name}` : `unfold ${name}`}
            onClick={() => onFold(path, open)}
          >
            {open ? '▾' : '▸'}
          </button>
        )}
        <a href={linkTo('scope', { path })} tabIndex={-1} title={path}>
          {name}
        </a>
        {children > 0 && !open ? <span class="muted num">{countText(children)}</span> : null}
      </div>
      <div role="gridcell" class="num">
        {known?.row.measuredAt === null && bytes === 0 ? '?' : bytesText(bytes)}
      </div>
      <div role="gridcell">
        {known === undefined || known.row.budgetBytes === null ? (
          <span class="muted">{known === undefined ? '' : 'none'}</span>
        ) : (
          <Waterline
            label={`budget of ${name}`}
            used={known.row.bytes}
            limit={known.row.budgetBytes}
            level={known.row.level}
          />
        )}
      </div>
      <div role="gridcell" class="num wide">
        {known === undefined ? '' : bytesText(known.row.peakBytes)}
      </div>
      <div role="gridcell" class="num wide">
        {known === undefined ? '' : durationText(ageOf(known, now))}
      </div>
      <div role="gridcell" class="num wide">
        {known === undefined ? '' : durationText(idleOf(known, now))}
      </div>
      <div role="gridcell" class="num wide">
        {known === undefined || known.row.leases === 0 ? '' : known.row.leases}
      </div>
    </div>
  );
}

interface KeyContext {
  readonly lines: readonly TreeLine[];
  readonly index: number;
  readonly choose: (row: number) => void;
  readonly onFold: (path: string, folded: boolean) => void;
}

const page = Math.floor(gridHeight / rowHeight) - 1;

function onKey(event: KeyboardEvent, { lines, index, choose, onFold }: KeyContext): void {
  // Buttons and links inside handle their own keys.
  if (event.target !== event.currentTarget) return;
  const line = lines[index];
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: lines.length - 1,
  };
  const to = moves[event.key];
  if (to !== undefined) choose(to);
  else if (line === undefined) return;
  else if (event.key === 'ArrowRight' && line.children > 0 && !line.open) onFold(line.path, false);
  else if (event.key === 'ArrowLeft' && line.open) onFold(line.path, true);
  else if (event.key === 'ArrowLeft')
    choose(lines.findLastIndex((each, i) => i < index && each.depth < line.depth));
  else if (event.key === 'Enter') location.hash = linkTo('scope', { path: line.path });
  else return;
  event.preventDefault();
}

/** The part of a long list that is drawn. */
interface Slice {
  readonly first: number;
  readonly last: number;
}

const spare = 6;

/** The rows that a viewport shows, with a few more on both sides. */
export function visibleSlice(scrollTop: number, height: number, rowHeight: number, count: number): Slice {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - spare);
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare);
  return { first, last: Math.max(first, last) };
}

/** The scroll position at which a row is visible; unchanged when it already is. */
export function scrollFor(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}
