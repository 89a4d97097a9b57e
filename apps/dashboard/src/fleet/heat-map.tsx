import type { HeatMap } from '@plimsoll/host/protocol/fleet';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { percentText } from '../text/units.ts';
import { cellTone } from './fleet-text.ts';

const rowHeight = 4;
const tones = ['--fill-normal', '--fill-warning', '--fill-critical', '--fill-emergency'] as const;

/** Pressure over time, one line per process, the most endangered on top. It is a canvas, because there may be 100 lines of 96 cells. */
export function HeatMapView({ map, now }: { readonly map: HeatMap; readonly now: number }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const columns = map.rows[0]?.cells.length ?? 1;
  useEffect(() => {
    const place = canvas.current;
    const pen = place?.getContext('2d');
    if (place === null || pen == null) return;
    const scale = devicePixelRatio;
    const width = place.clientWidth;
    place.width = width * scale;
    place.height = map.rows.length * rowHeight * scale;
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const fills = tones.map((name) => style.getPropertyValue(name));
    const empty = style.getPropertyValue('--map-rest');
    const step = width / columns;
    for (const [y, { cells, levels }] of map.rows.entries()) {
      for (const [x, pressure] of cells.entries()) {
        const tone = cellTone(pressure, levels[x] ?? null);
        pen.globalAlpha = tone === 0 ? 0.15 + 0.75 * Math.min(1, pressure ?? 0) : 1;
        pen.fillStyle = tone < 0 ? empty : (fills[tone] ?? empty);
        pen.fillRect(x * step, y * rowHeight, Math.ceil(step), rowHeight - 1);
      }
    }
  }, [map]);
  const find = (event: MouseEvent): { row: HeatMap['rows'][number]; column: number } | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const row = map.rows[Math.floor((event.clientY - box.top) / rowHeight)];
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    return row === undefined ? undefined : { row, column };
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="heat"
        style={{ height: `${map.rows.length * rowHeight}px` }}
        role="img"
        aria-label={`Pressure over time of ${map.rows.length} processes, the most endangered on top; the table below has the same processes`}
        onMouseMove={(event) => {
          const found = find(event);
          if (found === undefined) return;
          const { row, column } = found;
          const pressure = row.cells[column] ?? null;
          const said = pressure === null ? 'nothing heard' : percentText(pressure);
          event.currentTarget.title = `${row.host} ${row.release}, ${whenText(map.from + column * map.stepMs, now)}: ${said}`;
        }}
        onClick={(event) => {
          const found = find(event);
          if (found !== undefined) location.hash = linkTo('fleet', { id: found.row.id });
        }}
      />
      <p class="muted heat-legend">
        <span class="swatch fill-normal" /> normal <span class="swatch fill-warning" /> warning{' '}
        <span class="swatch fill-critical" /> critical <span class="swatch fill-emergency" /> emergency{' '}
        <span class="swatch fill-none" /> nothing heard · from {whenText(map.from, now)} to now
      </p>
    </>
  );
}
