import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { shownTheme } from '../shell/theme.ts';
import { byteSteps, headroom, tickTexts, timeRange } from './axis.ts';
import { colour } from './palette.ts';

/** One line of a chart; colours are names of the style sheet. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  /** Colour of the area below the line. */
  readonly fill?: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  /** Columns instead of a line, for events. */
  readonly bars?: boolean;
  /** Steps instead of slopes, for numbers that stay until they change. */
  readonly steps?: boolean;
}

interface ChartProps {
  /** Description of the chart for screen readers. */
  readonly label: string;
  /** Seconds since the epoch, then one array per line. */
  readonly data: uPlot.AlignedData;
  readonly lines: readonly Line[];
  readonly height: number;
  readonly text: (value: number) => string;
  /** Bytes are marked at round numbers of KiB, MiB and GiB. */
  readonly isBytes?: boolean;
  /** The top of the scale, default the highest value. Values above it are not drawn. */
  readonly top?: number;
  /** The least top of the scale, so that noise near zero is not enlarged. */
  readonly least?: number;
  /** Called with a range in seconds when the user selects one. */
  readonly onRange?: (from: number, to: number) => void;
  /** The range of the time axis in seconds; default that of the data. */
  readonly range?: readonly [number, number];
  readonly sync?: string;
  /** Draws over the lines, in canvas pixels. */
  readonly overlay?: (plot: uPlot) => void;
}

/** A time chart. It is drawn on a canvas, so that an update each second costs little. */
export function Chart(props: ChartProps): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const shown = shownTheme.value;
  const shape = JSON.stringify(props.lines);
  useEffect(() => {
    const parent = box.current as HTMLDivElement;
    const made = new uPlot(optionsOf(newest, parent.clientWidth), newest.current.data, parent);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (parent.clientWidth > 0 && parent.clientWidth !== made.width)
        made.setSize({ width: parent.clientWidth, height: newest.current.height });
    });
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shown, shape, props.height]);
  useEffect(() => {
    plot.current?.setData(props.data, true);
  }, [props.data, props.range?.[0], props.range?.[1]]);
  useEffect(() => plot.current?.redraw(false), [props.overlay]);
  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}

function optionsOf(props: { readonly current: ChartProps }, width: number): uPlot.Options {
  const { height, lines, sync } = props.current;
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { show: false },
    font: '11px ui-sans-serif, system-ui, sans-serif',
  };
  return {
    width,
    height,
    pxAlign: 1,
    padding: [8, 28, 0, 0],
    legend: { show: true, live: true },
    cursor: {
      drag: { x: props.current.onRange !== undefined, y: false, setScale: false },
      points: { size: 6 },
      ...(sync !== undefined && { sync: { key: sync } }),
    },
    scales: {
      x: {
        time: true,
        range: (_, low, high) => {
          const { range } = props.current;
          return range === undefined ? timeRange([low, high]) : [range[0], range[1]];
        },
      },
      y: {
        range: (_, __, high) => [
          0,
          Math.max(props.current.least ?? 0, props.current.top ?? high ?? 0) * headroom || 1,
        ],
      },
    },
    axes: [
      { ...axis, space: 64, size: 26, values: (_, at, __, ___, step) => tickTexts(at, step) },
      {
        ...axis,
        size: 62,
        space: 30,
        values: (_, values) => values.map((value) => props.current.text(value).replace('.0 ', ' ')),
        ...(props.current.isBytes === true && { incrs: byteSteps }),
      },
    ],
    series: [
      { class: 'legend-time' },
      ...lines.map((line) => seriesOf(line, (value) => props.current.text(value))),
    ],
    hooks: {
      setSelect: [(plot) => selected(plot, props.current.onRange)],
      draw: [(plot) => props.current.overlay?.(plot)],
    },
  };
}

function seriesOf(line: Line, text: (value: number) => string): uPlot.Series {
  const paths =
    line.bars === true
      ? uPlot.paths.bars?.({ size: [0.8, 8, 2] })
      : line.steps === true
        ? uPlot.paths.stepped?.({ align: 1 })
        : undefined;
  return {
    label: line.label,
    stroke: colour(line.colour),
    width: line.width ?? 1.5,
    points: { show: false },
    spanGaps: false,
    // Without a pointer over the chart the legend shows the newest value.
    value: (plot, value, index, at) => {
      const line = plot.data[index] as readonly (number | null)[] | undefined;
      const known = at == null ? line?.findLast((each) => each != null) : value;
      return known == null ? '–' : text(known);
    },
    ...(line.fill !== undefined && { fill: colour(line.fill) }),
    ...(line.dash !== undefined && { dash: [...line.dash] }),
    ...(paths !== undefined && { paths }),
  };
}

function selected(plot: uPlot, onRange: ChartProps['onRange']): void {
  const { left, width } = plot.select;
  if (width < 4 || onRange === undefined) return;
  onRange(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}
