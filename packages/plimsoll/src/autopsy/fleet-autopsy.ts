import { failure } from '@plimsoll/core/internal/errors';
import { levels } from '@plimsoll/core/internal/level';
import type { BlackBox, BoxReading, DeathRecord, LastWords } from '@plimsoll/host/protocol/death';
import type { FleetAutopsyAnswer } from '@plimsoll/host/protocol/fleet';
import type { FleetEntry, FleetPoint, FleetProcess } from '@plimsoll/ledger/internal/postgres/fleet-rows';
import type { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { autopsyOf } from './autopsy.ts';
import type { Autopsy } from './autopsy.ts';
import { autopsyIn } from './autopsy-entry.ts';
import { nobody } from './cause.ts';
import { deathStory } from './death-story.ts';

/** Time before the last sign of life from which readings are used. Milliseconds. */
const lookMs = 10 * 60_000;
const mostReadings = 120;
const mostDeaths = 16;

/** Why a process of the fleet died, from the fleet's database, and the story of the deaths of its service. */
export interface FleetAutopsy {
  readonly process: FleetProcess;
  readonly autopsy: Autopsy;
  /** Source of the autopsy: `plimsoll run`, the black box, or the samples that the process shipped. */
  readonly from: FleetAutopsyAnswer['from'];
  readonly story: string | null;
  readonly deaths: number;
}

/** Rejects with PLM_FLEET_PROCESS_UNKNOWN, or with PLM_FLEET_PROCESS_ALIVE for one that still lives. */
export async function fleetAutopsy(queries: FleetQueries, name: string): Promise<FleetAutopsy> {
  const process = await queries.processNamed(name);
  if (process === undefined) throw failure('PLM_FLEET_PROCESS_UNKNOWN', { name: name.slice(0, 100) });
  if (process.state === 'live') throw failure('PLM_FLEET_PROCESS_ALIVE', { id: process.id });
  const found = await examined(queries, process);
  const known = (await queries.deaths(process.service, mostDeaths)).flatMap(
    ({ body }) => autopsyIn(body) ?? [],
  );
  return { process, ...found, story: deathStory(known), deaths: known.length };
}

async function examined(
  queries: FleetQueries,
  process: FleetProcess,
): Promise<Pick<FleetAutopsy, 'autopsy' | 'from'>> {
  const entries = await queries.entries({
    processId: process.id,
    kinds: ['autopsy', 'black-box', 'last-words', 'exit', 'start', 'incident'],
    limit: 50,
  });
  const newest = (kind: string): FleetEntry | undefined => entries.find((entry) => entry.kind === kind);
  const done = autopsyIn(newest('autopsy')?.body ?? {});
  if (done !== undefined) return { autopsy: done, from: 'supervisor' };
  const record = newest('black-box')?.body as Partial<DeathRecord> | undefined;
  if (record?.box?.start !== undefined && Array.isArray(record.box.records)) {
    const { box, fatal, lastWords } = record;
    const evidence = {
      box: { ...box, file: process.id },
      fatal: fatal ?? undefined,
      lastWords: lastWords ?? undefined,
    };
    return {
      autopsy: autopsyOf(process.pid, process.service, { ...nobody, ...evidence }),
      from: 'black-box',
    };
  }
  const end = process.ended ?? process.lastSeen;
  const points = await queries.history(process.id, end - lookMs, end + lookMs);
  const words = newest('last-words')?.body as unknown as LastWords | undefined;
  const autopsy = autopsyOf(process.pid, process.service, {
    ...nobody,
    exit: exitOf(newest('exit')),
    endedAt: process.ended,
    box: boxOf(process, points, { start: newest('start'), words, incident: newest('incident') }),
    fatal: undefined,
    lastWords: words,
  });
  return { autopsy, from: 'samples' };
}

function exitOf(entry: FleetEntry | undefined): { code: number | null; signal: string | null } | null {
  if (entry === undefined) return null;
  const { code, signal } = entry.body;
  return {
    code: typeof code === 'number' ? code : null,
    signal: typeof signal === 'string' ? signal : null,
  };
}

/** The shipped samples in the form of a black box. Only the last reading has scopes and keepers, from the last words. */
function boxOf(
  process: FleetProcess,
  points: readonly FleetPoint[],
  said: {
    readonly start: FleetEntry | undefined;
    readonly words: LastWords | undefined;
    readonly incident: FleetEntry | undefined;
  },
): BlackBox {
  const { command, limitSource, node } = said.start?.body ?? {};
  const headline = said.incident?.body['headline'];
  const source = typeof limitSource === 'string' ? limitSource : 'unknown';
  const kept = points.slice(-mostReadings);
  const records = kept.map((point, i): BoxReading => {
    const isLast = i === kept.length - 1;
    return {
      kind: 'reading',
      at: point.at,
      used: point.high,
      limit: numberIn(point, 'limit') ?? process.limitBytes ?? 0,
      heapUsed: numberIn(point, 'heapUsed') ?? 0,
      floor: numberIn(point, 'floor') ?? null,
      external: numberIn(point, 'external') ?? 0,
      arrayBuffers: numberIn(point, 'arrayBuffers') ?? 0,
      rss: numberIn(point, 'rss') ?? 0,
      loopDelayMs: numberIn(point, 'loopDelayMs') ?? 0,
      level: levels.find((level) => level === point.level) ?? 'normal',
      source,
      scopes: isLast ? (said.words?.scopes ?? []) : [],
      keepers: isLast ? (said.words?.keepers ?? []) : [],
      open: {},
      workers: 0,
      refused: 0,
      actions: [],
      incident: isLast && typeof headline === 'string' ? headline : null,
    };
  });
  return {
    file: process.id,
    start: {
      kind: 'start',
      at: process.started,
      pid: process.pid,
      node: typeof node === 'string' ? node : '',
      target: typeof command === 'string' ? command : process.service,
      heapLimit: 0,
      release: process.release,
    },
    records,
    torn: 0,
  };
}

function numberIn(point: FleetPoint, name: string): number | undefined {
  const value = (point as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
