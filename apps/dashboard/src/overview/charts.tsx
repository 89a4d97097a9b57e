import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { headroom, scaleTop } from '../chart/axis.ts';
import { Chart, type Line } from '../chart/chart.tsx';
import type { SeriesColumn } from '../live/series.ts';
import { series, seriesRevision } from '../live/state.ts';
import { bytesText, durationText } from '../text/units.ts';

/** Against the V8 heap limit only the heap is drawn. Resident memory is always larger and would look like an overrun. */
const heapLines: readonly Line[] = [
  { label: 'limit', colour: 'limit', dash: [6, 4], width: 1.5 },
  { label: 'used', colour: 'water', fill: 'water-fill', width: 2 },
  { label: 'heap with garbage', colour: 'rss', width: 1 },
];
const processLines: readonly Line[] = [
  { label: 'limit', colour: 'limit', dash: [6, 4], width: 1.5 },
  { label: 'used', colour: 'water', fill: 'water-fill', width: 2 },
  { label: 'heap after GC', colour: 'floor', width: 1.5, steps: true },
  { label: 'resident (RSS)', colour: 'rss', width: 1 },
];
const gcLines: readonly Line[] = [
  { label: 'stopped per reading', colour: 'gc', fill: 'gc-fill', bars: true, width: 1 },
];
const loopLines: readonly Line[] = [
  { label: 'longest delay', colour: 'loop', fill: 'loop-fill', width: 1.5 },
];

function useColumns(...names: readonly SeriesColumn[]): uPlot.AlignedData {
  const revision = seriesRevision.value;
  return useMemo(
    () => names.map((name) => series.column(name)) as unknown as uPlot.AlignedData,
    [revision, names.join()],
  );
}

/** Ten minutes of used memory. The scale follows the values. The limit is drawn when it is near enough. */
export function MemoryChart({ shown }: { readonly shown: Frame }): JSX.Element {
  const isHeap = shown.limits.source === 'heap';
  const rest: readonly SeriesColumn[] = isHeap ? ['heapUsed'] : ['floor', 'rss'];
  const data = useColumns('at', 'limit', 'used', ...rest);
  const top = scaleTop(data[1] ?? [], data.slice(2));
  return (
    <>
      <Chart
        label="Used memory over ten minutes"
        data={data}
        lines={isHeap ? heapLines : processLines}
        height={220}
        text={bytesText}
        isBytes
        top={top}
        sync="overview"
      />
      {shown.reading.limit > top * headroom ? (
        <p class="chart-note muted">The limit of {bytesText(shown.reading.limit)} is far above this scale.</p>
      ) : null}
    </>
  );
}

export function GcChart(): JSX.Element {
  const data = useColumns('at', 'gcPauseMs');
  return (
    <Chart
      label="GC pauses over ten minutes"
      data={data}
      lines={gcLines}
      height={150}
      text={durationText}
      least={20}
      sync="overview"
    />
  );
}

export function LoopChart(): JSX.Element {
  const data = useColumns('at', 'loopDelayMs');
  return (
    <Chart
      label="Event loop delay over ten minutes"
      data={data}
      lines={loopLines}
      height={150}
      text={durationText}
      least={50}
      sync="overview"
    />
  );
}
