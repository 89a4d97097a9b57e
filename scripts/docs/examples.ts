import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '../..');

/** A block of TypeScript of a page, with the heading above it. */
export interface Example {
  readonly page: string;
  readonly heading: string;
  readonly code: string;
}

/** The blocks of TypeScript of a page, in their order. */
export function examplesOf(page: string): readonly Example[] {
  const parts = readFileSync(resolve(root, page), 'utf8').split(/^#{1,6} /m);
  return parts.flatMap((part) => {
    const heading = part.split('\n')[0] as string;
    return [...part.matchAll(/^```ts\n([^]*?)^```/gm)].map((match) => ({
      page,
      heading,
      code: match[1] as string,
    }));
  });
}

/** The lines that an example says it prints: the comments behind its calls of console.log. */
export function expectedLines(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\/\/ (.*)/g)].map((match) => (match[1] as string).trim());
}

/** Runs an example as a program of its own, from the source. */
export async function runExample(code: string): Promise<{ lines: readonly string[]; complaints: string }> {
  const args = ['--conditions=plimsoll-source', '--input-type=module-typescript', '-e', code];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { lines: printed === '' ? [] : printed.trimEnd().split('\n'), complaints };
}
