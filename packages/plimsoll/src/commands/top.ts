import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { Descriptor } from '@plimsoll/host/protocol';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { liveDescriptors, watchFeed } from '@plimsoll/host/protocol';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { screenLines, sortKeys, type ScreenSort } from '../screen/frame-text.ts';
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

/** The user's choices by key. */
interface View {
  sort: number;
  filter: string;
  typing: boolean;
}

/** Changes the view by a key. */
function press(view: View, key: string): void {
  if (view.typing) {
    if (key === '\r' || key === '\n') view.typing = false;
    else if (key === '\u001b') [view.typing, view.filter] = [false, ''];
    else if (key === '\u007f') view.filter = view.filter.slice(0, -1);
    else view.filter += key;
  } else if (key === 's') view.sort = (view.sort + 1) % sortKeys.length;
  else if (key === 'S') view.sort = (view.sort + sortKeys.length - 1) % sortKeys.length;
  else if (key === '/') view.typing = true;
}

/** A frame has the heaviest scopes. Another order or a filter needs all scopes, so they are requested while it is on. */
class AllScopes {
  readonly #make: () => LiveSource;
  #source: LiveSource | undefined;
  #stop: (() => void) | undefined;

  constructor(make: () => LiveSource) {
    this.#make = make;
  }

  rows(frame: Frame, view: View): Frame['scopes'] {
    const isWhole = frame.scopeCount <= frame.scopes.length || (view.sort === 0 && view.filter === '');
    if (isWhole) this.close();
    else if (this.#source === undefined) this.#open();
    const table = this.#source?.table;
    if (table === undefined || table.size < frame.scopes.length) return frame.scopes;
    // Only the frame has the row for memory in no scope.
    return [...table.rows(Date.now()), ...frame.scopes.filter((row) => row.kind === 'unattributed')];
  }

  close(): void {
    this.#stop?.();
    this.#source?.[Symbol.dispose]();
    [this.#stop, this.#source] = [undefined, undefined];
  }

  #open(): void {
    const nothing = (): void => undefined;
    this.#source = this.#make();
    this.#stop = this.#source.listen({ onFrame: nothing, onScopes: nothing, onGone: nothing });
  }
}

function showLive(descriptor: Descriptor, dir: string, io: Io): Promise<number> {
  return new Promise((resolvePromise) => {
    const screen = new LiveScreen(io.stdout);
    const all = new AllScopes(() => new LiveSource(dir, descriptor));
    const view: View = { sort: 0, filter: '', typing: false };
    let newest: Frame | undefined;
    const draw = (): void => {
      if (newest === undefined) return;
      const size = { rows: io.stdout.rows ?? 24, columns: io.stdout.columns ?? 80 };
      const shown = { sort: sortKeys[view.sort] as ScreenSort, filter: view.filter, colour: true, ...size };
      const lines = [...screenLines(newest, shown, all.rows(newest, view))];
      if (view.typing) lines[lines.length - 1] = `filter: ${view.filter}_`;
      screen.draw(lines);
    };
    const end = (): void => {
      feed.close();
      all.close();
      stopKeys();
      io.stdout.off('resize', draw);
      screen.close();
      resolvePromise(exitCode.fine);
    };
    const stopKeys = onKeys(io.stdin, (key) => {
      if (key === '\u0003' || (!view.typing && key === 'q')) return end();
      press(view, key);
      return draw();
    });
    screen.open();
    io.stdout.on('resize', draw);
    const feed = watchFeed(descriptor.socket, {
      onFrame: (frame) => {
        newest = frame;
        draw();
      },
      onClose: end,
    });
  });
}
