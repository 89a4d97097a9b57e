import { styleText } from 'node:util';
import type { Level } from '@plimsoll/host/protocol/frame';

/** Colours a level word; plain text when the output is no terminal. */
export function levelText(level: Level, colour: boolean): string {
  if (!colour) return level;
  const style = {
    normal: 'green',
    warning: 'yellow',
    critical: 'red',
    emergency: ['bold', 'red', 'inverse'],
  } satisfies Record<Level, Parameters<typeof styleText>[0]>;
  return styleText(style[level], level, { validateStream: false });
}

export function dim(text: string, colour: boolean): string {
  return colour ? styleText('dim', text, { validateStream: false }) : text;
}

export function bold(text: string, colour: boolean): string {
  return colour ? styleText('bold', text, { validateStream: false }) : text;
}
