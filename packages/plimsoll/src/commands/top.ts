import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/errors';
import { exitCode } from '../exit-code.ts';
import { liveDescriptors, type Descriptor } from '../feed/descriptor.ts';
import { watchFeed } from '../feed/feed-client.ts';
import type { Frame } from '../feed/frame.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { screenLines, sortKeys, type SortKey } from '../screen/frame-text.ts';
import { LiveScreen } from '../screen/live-screen.ts';
import { onKeys } from '../screen/keys.ts';
import { LiveSource } from '../server/live-source.ts';

interface TopOptions {
  readonly dir: string;
  readonly json?: boolean;
  readonly once?: boolean;
}

const help = `
Example:
  plimsoll top              the newest governed process of this folder
  plimsoll top 4711 --once  one table and out; piped output does the same
  plimsoll top --json       one frame as JSON

Keys: s and S change the order (bytes, peak, budget, age, idle, name), / filters by a part of the path, q quits.`;

export const addTopCommand: AddCommand = (program, io, done) => {
  program
    .command('top')
    .description('live table of the scopes of a governed process')
    .argument('[pid]', 'the process; the newest governed one by default')
    .option('--dir <folder>', 'the folder of the run', '.plimsoll')
    .option('--once', 'print one table and end')
    .option('--json', 'print one frame as JSON and end')
    .addHelpText('after', help)
    .action(async (pid: string | undefined, options: TopOptions) => {
      const descriptor = choose(resolve(io.cwd, options.dir), pid);
      const live =
        options.once !== true && options.json !== true && io.stdout.isTTY === true && io.stdin.isTTY === true;
      done(
        await (live
          ? showLive(descriptor, resolve(io.cwd, options.dir), io)
          : showOnce(descriptor, options.json === true, io)),
      );
    });
};

function choose(dir: string, pid: string | undefined): Descriptor {
  const all = liveDescriptors(dir);
  const wanted = pid === undefined ? null : Number(pid);
  const found = wanted === null ? all[0] : all.find((each) => each.pid === wanted);
  if (found === undefined) throw failure('PLM_CLI_NO_PROCESS', { dir, pid: wanted });
  return found;
}

function showOnce(descriptor: Descriptor, json: boolean, io: Io): Promise<number> {
  return new Promise((resolvePromise, reject) => {
    let seen = false;
    const feed = watchFeed(descriptor.socket, {
      onFrame: (frame) => {
        if (seen) return;
        seen = true;
        io.stdout.write(json ? `${JSON.stringify(frame, null, 2)}\n` : `${onceText(frame, io)}\n`);
        feed.close();
        resolvePromise(exitCode.fine);
      },
      onClose: () => {
        if (!seen) reject(failure('PLM_CLI_NO_PROCESS', { dir: descriptor.socket, pid: descriptor.pid }));
      },
    });
  });
}

function onceText(frame: Frame, io: Io): string {
  const lines = screenLines(frame, {
    sort: 'bytes',
    filter: '',
    rows: 58,
    columns: io.stdout.columns ?? 140,
    colour: false,
  });
  return lines.slice(0, -2).join('\n');
}

/** The frame has the heaviest scopes at once, the table has all of them a moment later; what no scope holds is in the frame only. */
function rowsOf(frame: Frame, { table }: LiveSource): Frame['scopes'] {
  if (table.size < frame.scopes.length) return frame.scopes;
  return [...table.rows(Date.now()), ...frame.scopes.filter((row) => row.kind === 'unattributed')];
}

function showLive(descriptor: Descriptor, dir: string, io: Io): Promise<number> {
  return new Promise((resolvePromise) => {
    const screen = new LiveScreen(io.stdout);
    const source = new LiveSource(dir, descriptor);
    let newest: Frame | undefined;
    let sort = 0;
    let filter = '';
    let typing = false;
    const draw = (): void => {
      if (newest === undefined) return;
      const size = { rows: io.stdout.rows ?? 24, columns: io.stdout.columns ?? 80 };
      const view = { sort: sortKeys[sort] as SortKey, filter, colour: true, ...size };
      const rows = rowsOf(newest, source);
      const lines = [...screenLines(newest, view, rows)];
      if (typing) lines[lines.length - 1] = `filter: ${filter}_`;
      screen.draw(lines);
    };
    const end = (): void => {
      stopListening();
      source[Symbol.dispose]();
      stopKeys();
      io.stdout.off('resize', draw);
      screen.close();
      resolvePromise(exitCode.fine);
    };
    const stopKeys = onKeys(io.stdin, (key) => {
      if (key === '\u0003' || (!typing && key === 'q')) return end();
      if (typing) {
        if (key === '\r' || key === '\n') typing = false;
        else if (key === '\u001b') [typing, filter] = [false, ''];
        else if (key === '\u007f') filter = filter.slice(0, -1);
        else filter += key;
      } else if (key === 's') sort = (sort + 1) % sortKeys.length;
      else if (key === 'S') sort = (sort + sortKeys.length - 1) % sortKeys.length;
      else if (key === '/') typing = true;
      return draw();
    });
    screen.open();
    io.stdout.on('resize', draw);
    const stopListening = source.listen({
      onFrame: (frame) => {
        newest = frame;
        draw();
      },
      onScopes: () => undefined,
      onGone: end,
    });
  });
}
