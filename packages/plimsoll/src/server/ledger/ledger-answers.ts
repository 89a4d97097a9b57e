import { knownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { AuditRecord, LedgerReader, RangePoint, Story } from '@plimsoll/ledger';
import type {
  AuditAnswer,
  AuditRow,
  HistoryAnswer,
  HistoryRow,
  ProcessRow,
  ScopeHistoryAnswer,
} from '@plimsoll/host/protocol/api';
import { ActionBook } from './action-book.ts';
import type { Questions, TimeSpan } from './question.ts';
import { frameOfRun } from './run-frame.ts';
import { isSettled } from './settled.ts';

/** Most runs of one ledger that are shown, newest first. */
const mostRuns = 50;
const mostBooks = 8;
const pageOfEntries = 2000;

type Answers = { readonly [Q in keyof Questions]: (args: Questions[Q]['args']) => Questions[Q]['answer'] };

/** Answers questions from one open ledger. It runs on the thread that reads ledgers, so it may block. */
export class LedgerAnswers implements Answers {
  readonly #reader: LedgerReader;
  readonly #now: () => number;
  /** Stories of ended and settled runs, which do not change any more. */
  readonly #told = new Map<number, Story>();
  readonly #books = new Map<number, ActionBook>();

  constructor(reader: LedgerReader, now: () => number = Date.now) {
    this.#reader = reader;
    this.#now = now;
  }

  processes(): readonly ProcessRow[] {
    return this.#reader
      .runs()
      .slice(0, mostRuns)
      .map(({ run }) => this.#story(run))
      .filter((story) => story !== undefined)
      .map(processRow);
  }

  frame({ run }: Questions['frame']['args']): Questions['frame']['answer'] {
    const story = this.#story(run);
    return story === undefined ? null : frameOfRun(this.#reader, story);
  }

  history({ run, points, ...span }: Questions['history']['args']): HistoryAnswer {
    const { from, to } = this.#window(span, run);
    const wanted = roundPoints(to - from, points);
    const range = this.#reader.range({ scope: 'process', since: from, until: to, run, points: wanted });
    const rows = range.points.map(historyRow);
    return { from, to, resolution: range.resolution, stepMs: range.stepMs, rows };
  }

  scopeHistory({ run, path, points, ...span }: Questions['scopeHistory']['args']): ScopeHistoryAnswer {
    const { from, to } = this.#window(span, run);
    const range = this.#reader.range({ scope: path, since: from, until: to, run, points });
    return {
      path,
      from,
      to,
      resolution: range.resolution,
      stepMs: range.stepMs,
      rows: range.points.map(({ at, avgBytes, minBytes, maxBytes }) => ({
        at,
        bytes: Math.round(avgBytes),
        minBytes,
        maxBytes,
      })),
    };
  }

  audit({ from, to, kinds, scope, run, limit }: Questions['audit']['args']): AuditAnswer {
    const found = this.#reader.audit({ kinds, scope, run, since: from, until: to, limit: limit + 1 });
    const entries = found.slice(-limit).map(auditRow);
    return { entries, more: found.length > limit };
  }

  wouldHave({ run, pid }: Questions['wouldHave']['args']): Questions['wouldHave']['answer'] {
    return this.#actions(run ?? this.#runOf(pid)).wouldHave();
  }

  actions({ run, pid }: Questions['actions']['args']): Questions['actions']['answer'] {
    return this.#actions(run ?? this.#runOf(pid)).tallies();
  }

  close(): void {
    this.#reader.close();
  }

  /** The book of a run, brought up to date. */
  #actions(run: number | undefined): ActionBook {
    const key = run ?? 0;
    const known = this.#books.get(key);
    const book = known ?? new ActionBook();
    if (known === undefined) {
      if (this.#books.size >= mostBooks) this.#books.clear();
      this.#books.set(key, book);
    }
    for (;;) {
      const entries = this.#reader.audit({
        kinds: ['action'],
        run,
        after: book.lastSeq,
        limit: pageOfEntries,
      });
      book.take(entries);
      if (entries.length < pageOfEntries) return book;
    }
  }

  /** The newest run of a process id. */
  #runOf(pid: number | undefined): number | undefined {
    return pid === undefined ? undefined : this.#reader.runs().find((row) => row.pid === pid)?.run;
  }

  #story(run: number): Story | undefined {
    const told = this.#told.get(run);
    if (told !== undefined) return told;
    const story = this.#reader.story(run);
    if (story !== undefined && story.state !== 'running' && isSettled(story.lastSeen, this.#now())) {
      if (this.#told.size >= mostRuns) this.#told.clear();
      this.#told.set(run, story);
    }
    return story;
  }

  #window(span: TimeSpan, run: number | undefined): { from: number; to: number } {
    const story = run === undefined ? undefined : this.#story(run);
    const runs = this.#reader.runs();
    const newest = runs[0] === undefined ? undefined : this.#story(runs[0].run);
    const end = story ?? newest;
    const last = end === undefined || end.state === 'running' ? this.#now() : endOf(end) + 1;
    const oldest = runs.at(-1);
    const first =
      story?.started ?? (oldest === undefined ? undefined : this.#story(oldest.run)?.started) ?? last;
    const to = span.to ?? last;
    return { from: Math.min(span.from ?? first, to), to };
  }
}

const hourMs = 3_600_000;

/** Points of half an hour or more become hours. A month is then 720 rows that exist, and not 43,200 minutes to add up. */
function roundPoints(spanMs: number, points: number): number {
  const stepMs = spanMs / points;
  return stepMs >= hourMs / 2 && stepMs < hourMs ? Math.floor(spanMs / hourMs) : points;
}

/** When a run ended: by its exit entry, else by its last sign of life. */
function endOf({ exit, lastSeen }: Story): number {
  return exit?.at ?? lastSeen;
}

function processRow(story: Story): ProcessRow {
  const command = story.start?.body['command'];
  return {
    id: `run-${story.run}`,
    pid: story.pid ?? null,
    target: typeof command === 'string' ? command : 'unknown',
    startedAt: story.started,
    endedAt: story.state === 'running' ? null : endOf(story),
    state: story.state,
  };
}

function historyRow(point: RangePoint): HistoryRow {
  return {
    at: point.at,
    used: Math.round(point.avgBytes),
    usedMax: point.maxBytes,
    ...knownNumbers(point),
    level: point.level ?? null,
  };
}

/** An entry without its place in the chain: only `plimsoll ledger verify` needs the hash. */
function auditRow({ seq, at, kind, scope, body }: AuditRecord): AuditRow {
  return { seq, at, kind, scope, body };
}
