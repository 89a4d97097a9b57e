import type { JSX } from 'preact';
import type { Severity } from '@plimsoll/host/protocol/frame';
import type { Level } from '@plimsoll/host/protocol/frame';

/** The word of a level in its colour; the word carries the meaning, the colour only helps. */
export function LevelBadge({ level }: { readonly level: Level }): JSX.Element {
  return <span class={`badge level-${level}`}>{level}</span>;
}

const tones: Readonly<Record<Severity, string>> = {
  info: 'level-none',
  low: 'level-none',
  medium: 'level-warning',
  high: 'level-critical',
  critical: 'level-emergency',
};

export function SeverityBadge({ severity }: { readonly severity: Severity }): JSX.Element {
  return <span class={`badge ${tones[severity]}`}>{severity}</span>;
}

export function WordBadge({ word, tone }: { readonly word: string; readonly tone?: string }): JSX.Element {
  return <span class={`badge ${tone ?? 'level-none'}`}>{word}</span>;
}
