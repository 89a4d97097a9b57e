import type { Frame } from '@plimsoll/host/protocol';
import { screenLines } from '../screen/frame-text.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What `plimsoll top` shows, as a page without scripts: for where the dashboard has not been built. */
export function plainPage(frame: Frame | undefined, why: string): string {
  const lines =
    frame === undefined
      ? [why]
      : screenLines(frame, { sort: 'bytes', filter: '', rows: 60, columns: 140, colour: false }).slice(0, -2);
  const text = lines.join('\n').replace(/[&<>"]/g, (character) => escapes[character] as string);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width"><title>plimsoll</title><pre>${text}</pre></html>\n`;
}
