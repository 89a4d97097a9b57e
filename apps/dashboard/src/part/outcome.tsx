import type { JSX } from 'preact';
import type { ActionRow } from '@plimsoll/host/protocol/frame';

const tones: Readonly<Record<ActionRow['outcome'], string>> = {
  waiting: 'level-warning',
  running: 'level-normal',
  settling: 'level-normal',
  done: 'level-normal',
  'would-have': 'level-none',
  skipped: 'level-none',
  failed: 'level-emergency',
};

/** The outcome of an action, in a word. */
export function OutcomeBadge({ outcome }: { readonly outcome: ActionRow['outcome'] }): JSX.Element {
  return (
    <span class={`badge ${tones[outcome] ?? 'level-none'}`}>
      {outcome === 'would-have' ? 'would have' : outcome}
    </span>
  );
}
