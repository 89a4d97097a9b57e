import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, type Line } from '../chart/chart.tsx';
import type { Column } from '../live/series.ts';
import { series, seriesRevision } from '../live/state.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

const memoryLines: readonly Line[] = [
  { label: 'limit', colour: 'limit', dash: [6, 4], width: 1.5 },
  { label: 'used', colour: 'water', fill: 'water-fill', width: 2 },
  { label: 'floor', colour: 'floor', width: 1.5, steps: true },
  { label: 'rss', colour: 'rss', width: 1 },
];
const gcLines: readonly Line[] = [
  { label: 'pause per reading', colour: 'gc', fill: 'gc-fill', bars: true, width: 1 },
];
const loopLines: readonly Line[] = [
  { label: 'longest delay', colour: 'loop', fill: 'loop-fill', width: 1.5 },
];

function useColumns(...names: readonly Column[]): uPlot.AlignedData {
  const revision = seriesRevision.value;
  return useMemo(() => names.map((name) => series.column(name)) as unknown as uPlot.AlignedData, [revision]);
}

/** Ten minutes of used memory under its limit, with the floor: what is left after each major GC. */
export function MemoryChart(): JSX.Element {
  const data = useColumns('at', 'limit', 'used', 'floor', 'rss');
  return (
    <Chart
      label="Used memory, limit, floor and resident memory over ten minutes"
      data={data}
      lines={memoryLines}
      height={220}
      text={bytesText}
      isBytes
      sync="overview"
    />
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
