import type { JSX } from 'preact';
import type { Level } from '@plimsoll/host/protocol/frame';
import { percentText, usedOfText } from '../text/units.ts';

interface WaterlineProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly level: Level;
}

/** A bar filled by the used bytes, with the limit at its end. */
export function Waterline({ label, used, limit, level }: WaterlineProps): JSX.Element {
  const ratio = limit > 0 ? used / limit : 0;
  return (
    <div
      class={`waterline fill-${level}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round(ratio * 100))}
      aria-valuetext={usedOfText(used, limit)}
      title={usedOfText(used, limit)}
    >
      <span class="waterline-fill" style={{ width: `${Math.min(100, ratio * 100)}%` }} />
    </div>
  );
}

/** A ship's hull: the water level is the used bytes, the load line is the limit. */
export function Hull({ used, limit, level }: Omit<WaterlineProps, 'label'>): JSX.Element {
  const ratio = limit > 0 ? used / limit : 0;
  const top = 8;
  const bottom = 152;
  const surface = bottom - Math.min(1.04, ratio) * (bottom - top - 8);
  const wave = `M0 ${surface} q 15 -5 30 0 t 30 0 t 30 0 t 30 0 V ${bottom} H 0 Z`;
  return (
    <svg
      class={`hull fill-${level}`}
      viewBox="0 0 120 160"
      role="img"
      aria-label={`used ${percentText(ratio)} of the limit`}
    >
      <defs>
        <clipPath id="hull-shape">
          <path d="M8 8 H112 V104 Q112 152 60 152 Q8 152 8 104 Z" />
        </clipPath>
      </defs>
      <g clip-path="url(#hull-shape)">
        <rect class="hull-air" x="0" y="0" width="120" height="160" />
        <path class="hull-water" d={wave} />
        {[0.25, 0.5, 0.75].map((mark) => (
          <line
            class="hull-mark"
            key={mark}
            x1="8"
            x2="18"
            y1={bottom - mark * (bottom - top - 8)}
            y2={bottom - mark * (bottom - top - 8)}
          />
        ))}
      </g>
      <path class="hull-side" d="M8 8 H112 V104 Q112 152 60 152 Q8 152 8 104 Z" />
      <line class="hull-limit" x1="2" x2="118" y1={top + 8} y2={top + 8} />
      <circle class="hull-limit" cx="60" cy={top + 8} r="7" fill="none" />
      <text class="hull-ratio" x="60" y="84" text-anchor="middle" dominant-baseline="middle">
        {percentText(ratio)}
      </text>
    </svg>
  );
}
