import { batch } from '@preact/signals';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { HistoryAnswer, ScopesAnswer, SessionAnswer, StreamEvents } from '@plimsoll/host/protocol/api';
import { address, ApiError, get } from './api.ts';
import {
  clock,
  connection,
  frame,
  isHistorical,
  scopes,
  scopesRevision,
  series,
  seriesRevision,
  session,
  skippedEvents,
} from './state.ts';

const backfillMs = 600_000;
/** The server sends at least one event every 15 s. After three times that long the connection counts as dead. */
const silenceMs = 45_000;

const scopesMs = 200;

let source: EventSource | undefined;
let scopesTimer: ReturnType<typeof setTimeout> | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let attempt = 0;
let calls = 0;
/** Whether the charts already have the history of the ledger. */
let isFilled = false;
let heardAt = 0;

/** Connects, and stays connected until the page is closed. After a loss it reconnects with growing pauses. */
export function startListening(): void {
  setInterval(() => {
    clock.value = Date.now();
    if (source !== undefined && Date.now() - heardAt > silenceMs) lost('nothing was heard for 45 s');
  }, 1000);
  void connect();
}

/** Reconnects at once. */
export function reconnect(): void {
  clearTimeout(retryTimer);
  source?.close();
  source = undefined;
  void connect();
}

/** Reads the session, then opens the stream. Only the newest call continues, because an older one would open a second stream. */
async function connect(): Promise<void> {
  const mine = ++calls;
  try {
    const next = await get<SessionAnswer>('api/session');
    if (mine !== calls) return;
    const shown = session.value?.process?.id;
    if (shown !== undefined && shown !== next.process?.id) forget();
    session.value = next;
  } catch (error) {
    if (mine === calls) lost(error instanceof ApiError ? error.message : String(error));
    return;
  }
  listen();
  // The live numbers do not wait for the history.
  if (!isHistorical.value) void backfill();
  else if (session.value.process !== null) void readPast();
}

/** Drops all data of the previous process, because another one is shown. */
function forget(): void {
  batch(() => {
    scopes.clear();
    series.clear();
    isFilled = false;
    frame.value = null;
    scopesRevision.value++;
    seriesRevision.value++;
  });
}

function listen(): void {
  source?.close();
  heardAt = Date.now();
  const opened = new EventSource(address('api/stream'));
  source = opened;
  const isNewest = (): boolean => source === opened;
  opened.addEventListener('open', () => {
    if (!isNewest()) return;
    attempt = 0;
    heardAt = Date.now();
    connection.value = { state: 'open', since: Date.now(), retryAt: null, why: '' };
  });
  opened.addEventListener('error', () => {
    if (isNewest()) lost('the stream ended');
  });
  const on = <Name extends keyof StreamEvents>(
    name: Name,
    take: (data: StreamEvents[Name]) => void,
  ): void => {
    opened.addEventListener(name, (event) => {
      if (!isNewest()) return;
      heardAt = Date.now();
      batch(() => take(JSON.parse((event as MessageEvent<string>).data) as StreamEvents[Name]));
    });
  };
  on('frame', takeFrame);
  on('scopes', (event) => {
    scopes.apply(event);
    scopesChanged();
  });
  on('skipped', (event) => {
    skippedEvents.value = event.total;
  });
  on('process', (row) => {
    const shown = session.value?.process ?? null;
    if (row?.id !== shown?.id || row?.state !== shown?.state) reconnect();
  });
}

/** Many rows come in many events. Sorting and drawing ten thousand rows for each event would block the page, so updates are merged. */
function scopesChanged(): void {
  scopesTimer ??= setTimeout(() => {
    scopesTimer = undefined;
    scopesRevision.value++;
  }, scopesMs);
}

function takeFrame(next: Frame): void {
  frame.value = next;
  series.add(next);
  seriesRevision.value++;
}

function lost(why: string): void {
  source?.close();
  source = undefined;
  clearTimeout(retryTimer);
  const delay = retryDelayMs(attempt++);
  const since = connection.value.state === 'lost' ? connection.value.since : Date.now();
  connection.value = { state: 'lost', since, retryAt: Date.now() + delay, why };
  retryTimer = setTimeout(() => void connect(), delay);
}

/** Reads the newest ten minutes from the ledger. Without a ledger the charts fill with live readings. */
async function backfill(): Promise<void> {
  if (isFilled) return;
  const mine = calls;
  const to = Date.now();
  const history = await get<HistoryAnswer>('api/history', { from: to - backfillMs, to, points: 600 }).catch(
    () => null,
  );
  if (history === null || mine !== calls) return;
  isFilled = true;
  series.begin(history.rows);
  seriesRevision.value++;
}

/** Reads an ended process: its last frame, its last scopes, its last ten minutes. */
async function readPast(): Promise<void> {
  const mine = calls;
  const last = await get<Frame>('api/frame').catch(() => null);
  if (last === null || mine !== calls) return;
  const [past, history] = await Promise.all([
    get<ScopesAnswer>('api/scopes').catch(() => null),
    get<HistoryAnswer>('api/history', { from: last.at - backfillMs, to: last.at, points: 600 }).catch(
      () => null,
    ),
  ]);
  batch(() => {
    frame.value = last;
    if (past !== null) scopes.apply({ at: past.at, full: true, rows: past.rows, gone: [] });
    if (history !== null) series.begin(history.rows);
    scopesRevision.value++;
    seriesRevision.value++;
  });
}

const firstMs = 500;
const mostMs = 10_000;

/**
 * Delay before the next attempt to connect; `attempt` counts from 0. A random part keeps many pages from reconnecting at the same moment.
 */
export function retryDelayMs(attempt: number, chance: number = Math.random()): number {
  return Math.round(Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 10)) * (0.75 + chance / 2));
}
