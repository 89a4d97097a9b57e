/** The tutorial, step by step as a reader does it: files are written, commands are run, what they print is compared. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endGroup, startGroup } from '../process-group.ts';
import { root } from './plimsoll.ts';

const page = readFileSync(join(root, 'docs/tutorial/README.md'), 'utf8');
const cli = `"${process.execPath}" --conditions=plimsoll-source "${join(root, 'packages/plimsoll/src/cli.ts')}"`;

interface Step {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

/** The blocks of the page that are files, commands and what these print. */
function steps(): readonly Step[] {
  return [...page.matchAll(/^```(js|sh|text)(?: (\S+))?\n([^]*?)^```/gm)].map((match) => ({
    language: match[1] as string,
    file: match[2],
    text: match[3] as string,
  }));
}

/** A command of the page; on a machine that tests share, the snapshots of a proof may take longer than a server grants. */
const commandOf = (line: string) =>
  line.replaceAll('npx plimsoll run', `${cli} run --max-pause 60s`).replaceAll('npx plimsoll', cli);

/** Runs a line in a shell and resolves to its exit code and all that it printed. */
async function type(line: string, cwd: string): Promise<{ code: number | null; text: string }> {
  const child = startGroup('/bin/sh', ['-c', commandOf(line)], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  try {
    return { code: await ended, text };
  } finally {
    endGroup(child);
  }
}

/** A line of the page as a pattern: numbers, sizes, times and the name of the machine may differ. */
function patternOf(line: string): RegExp {
  const escaped = line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const loose = escaped
    .replaceAll(/on web-1$/g, String.raw`on \S+`)
    .replaceAll(
      /\d[\d,]*(?:\\\.\d+)?(?: (?:MiB|KiB|GiB|s))?/g,
      String.raw`\d[\d,.]*(?: (?:MiB|KiB|GiB|ms|s|m))*(?: \d+ s)?`,
    );
  return new RegExp(`^${loose}`, 'm');
}

test('every command of the tutorial prints what the page says', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-tutorial-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  let printed = '';
  let commands = 0;
  for (const { language, file, text } of steps()) {
    if (language === 'js') writeFileSync(join(dir, file as string), text);
    else if (language === 'sh') {
      const { code, text: output } = await type(text.trim(), dir);
      expect(code, output).toBe(0);
      printed = output;
      commands++;
    } else for (const line of text.trimEnd().split('\n')) expect(printed).toMatch(patternOf(line));
  }
  expect(commands).toBe(4);
}, 300_000);
