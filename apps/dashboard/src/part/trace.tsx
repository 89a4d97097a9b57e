import type { JSX } from 'preact';
import { bytesText, countText } from '../text/units.ts';

/** One step of a leak trace, from a finding or from a snapshot. */
export interface DrawnStep {
  readonly name: string;
  readonly via: string;
  readonly retainedBytes?: number;
  readonly scope?: string;
  readonly leaking: 'no' | 'maybe' | 'yes';
  readonly why: string;
  readonly suspect?: boolean;
  readonly entries?: number;
  readonly times?: number;
  readonly at?: string;
}

/** The suspect references. Without marks they are between the last object that should live and the first one that should be gone. */
export function suspects(steps: readonly DrawnStep[]): readonly boolean[] {
  if (steps.some((step) => step.suspect === true)) return steps.map((step) => step.suspect === true);
  const lastAlive = steps.findLastIndex((step) => step.leaking === 'no');
  const firstGone = steps.findIndex((step) => step.leaking === 'yes');
  const end = firstGone < 0 ? steps.length - 1 : firstGone;
  return steps.map((_, index) => index > 0 && index > lastAlive && index <= end);
}

/** A leak trace, root first. A suspect reference is underlined and labelled. */
export function Trace({ steps }: { readonly steps: readonly DrawnStep[] }): JSX.Element {
  const marked = suspects(steps);
  return (
    <ol class="trace" aria-label="leak trace, root first">
      {steps.map((step, index) => (
        <li key={index} class={`trace-step leaking-${step.leaking}`}>
          {step.via === '' ? null : (
            <div class={marked[index] === true ? 'trace-via suspect' : 'trace-via'}>
              <code>{step.via}</code>
              {marked[index] === true ? <span class="suspect-word">suspect reference</span> : null}
            </div>
          )}
          <div class="trace-object">
            <code class="trace-name">{step.name}</code>
            {step.times !== undefined && step.times > 1 ? (
              <span class="num">×{countText(step.times)}</span>
            ) : null}
            {step.entries === undefined ? null : <span class="num">{countText(step.entries)} entries</span>}
            {step.retainedBytes === undefined || step.retainedBytes === 0 ? null : (
              <span class="num">{bytesText(step.retainedBytes)}</span>
            )}
            {step.scope === undefined ? null : <span class="muted">{step.scope}</span>}
            {step.at === undefined ? null : <span class="muted">{step.at}</span>}
            <span class="trace-why">
              {step.leaking === 'yes' ? 'should be gone' : ''}
              {step.leaking === 'yes' && step.why !== '' ? ': ' : ''}
              {step.why}
            </span>
          </div>
        </li>
      ))}
    </ol>
  );
}
