import { join } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import { isSetAside, readBlackBoxes } from '../../protocol/black-box.ts';
import type { BlackBox } from '../../protocol/black-box.ts';
import { leftBeside } from '../../protocol/death.ts';
import type { DeathRecord } from '../../protocol/death.ts';
import type { Part } from '../part.ts';

interface DeadBoxesOptions {
  readonly dir: string;
  /** Writes the entry and resolves when it is on the local disk. It is shipped to the fleet from there. */
  readonly write: (record: DeathRecord) => Promise<unknown>;
  /** Ms after the start, so that the start of the program is not delayed. */
  readonly afterMs?: number;
}

const startedMs = 5000;
const mostTold = 64;
const mostBytes = 64 * 1024;
/**
 * Most records of one box that go to the fleet: the oldest one, which shows the growth, and the newest ones. At 2 KiB each they fit into
 * one entry.
 */
const mostRecords = 24;

/**
 * Reports processes of this folder that ended unseen to the fleet, as after `kill -9` or an OOM kill without `plimsoll run`. Each is
 * reported once. `told-deaths.json` has the names of the reported ones.
 */
export class DeadBoxesPart implements Part {
  readonly #options: DeadBoxesOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeadBoxesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setTimeout(() => void this.tell(), this.#options.afterMs ?? startedMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Never rejects. The next life reports what could not be reported now. */
  async tell(): Promise<void> {
    const { dir, write } = this.#options;
    try {
      const told = toldIn(dir);
      for (const box of readBlackBoxes(dir).toReversed()) {
        if ((!isSetAside(box) && isAlive(box.start.pid)) || told.includes(nameOf(box))) continue;
        await write(deathRecord(dir, box));
        told.push(nameOf(box));
        replaceFile(fileOf(dir), JSON.stringify(told.slice(-mostTold)));
      }
    } catch {
      // The boxes stay in the folder.
    }
  }
}

/** The entry about a box that is sent to the fleet. */
function deathRecord(dir: string, box: BlackBox): DeathRecord {
  const { start, records, torn } = box;
  const { fatal = null, lastWords = null } = leftBeside(dir, box);
  const kept =
    records.length <= mostRecords ? records : [...records.slice(0, 1), ...records.slice(1 - mostRecords)];
  return {
    pid: start.pid,
    at: records.at(-1)?.at ?? start.at,
    box: { start, records: kept, torn },
    fatal,
    lastWords,
  };
}

function nameOf({ start }: BlackBox): string {
  return `${start.pid}-${start.at}`;
}

function fileOf(dir: string): string {
  return join(dir, 'told-deaths.json');
}

function toldIn(dir: string): string[] {
  try {
    const names = JSON.parse(
      readRegularText(fileOf(dir), { maxBytes: mostBytes, noFollow: true }),
    ) as unknown;
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
