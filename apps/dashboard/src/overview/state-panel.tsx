import type { JSX } from 'preact';
import type { Frame } from '@plimsoll/host/protocol';
import { isHistorical } from '../live/state.ts';
import { linkTo } from '../shell/route.ts';
import { stateOf } from './signs.ts';

const pageWords: Readonly<Record<string, string>> = {
  actions: 'what was done',
  approvals: 'answer',
  findings: 'what it is',
  history: 'how it came',
};

/** The first thing to read: how it is, in a sentence, and what needs attention. */
export function StatePanel({ shown }: { readonly shown: Frame }): JSX.Element | null {
  if (isHistorical.value) return null;
  const { tone, title, text, signs } = stateOf(shown);
  return (
    <section class={`panel state tone-${tone}`} aria-label="State">
      <h2 class="state-title">{title}</h2>
      {text === '' ? null : <p class="muted num">{text}</p>}
      {signs.length === 0 ? null : (
        <ul class="signs">
          {signs.map((sign) => (
            <li key={sign.text} class={`sign tone-${sign.tone}`}>
              {sign.text} <a href={linkTo(sign.page)}>{pageWords[sign.page] ?? 'more'}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
