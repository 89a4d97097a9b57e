import type { JSX } from 'preact';
import type { Frame } from '@plimsoll/host/protocol';
import { linkTo } from '../shell/route.ts';
import { metrics } from './metric-values.ts';

export function MetricTiles({ shown }: { readonly shown: Frame }): JSX.Element {
  return (
    <ul class="tiles" aria-label="Six metrics">
      {metrics(shown).map(({ name, value, note, tone, page }) => (
        <li key={name}>
          <a class={`tile tone-${tone}`} href={linkTo(page)}>
            <span class="tile-name">{name}</span>
            <span class="tile-value num">{value}</span>
            <span class="tile-note">{note}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
