import type uPlot from 'uplot';
import type { AuditRow } from '@plimsoll/host/protocol';
import { colour } from '../chart/palette.ts';

const tones: Readonly<Record<string, string>> = {
  level: 'warning',
  finding: 'emergency',
  action: 'water',
  approval: 'floor',
  start: 'muted',
  exit: 'muted',
};

/** Draws a tick at the foot of the chart for every entry of the ledger. */
export function markOverlay(entries: readonly AuditRow[]): (plot: uPlot) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const { at, kind } of entries) {
      const x = Math.round(plot.valToPos(at / 1000, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.fillStyle = colour(tones[kind] ?? 'muted');
      ctx.fillRect(x - 1, bbox.top + bbox.height - 12, 2, 12);
    }
    ctx.restore();
  };
}
