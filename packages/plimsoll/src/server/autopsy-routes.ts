import { dirname } from 'node:path';
import type { AutopsyAnswer, ProcessRow } from '@plimsoll/host/protocol/api';
import type { Autopsy } from '../autopsy/autopsy.ts';
import { deathStory } from '../autopsy/death-story.ts';
import { autopsiesIn } from '../autopsy/examine.ts';
import type { Route, RouteContext } from './route.ts';

/** Most ms between two records of the same start or end of a process. */
const sameMs = 15_000;

/** Why a process died. Autopsies hold only names and numbers, so every reader of the ledger may read them. */
export const autopsyRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/autopsy',
    summary: 'Why a process that is gone died, and the story of all deaths that its folder knows of',
    access: 'read',
    ofProcess: true,
    answer: 'AutopsyAnswer',
    handle: autopsy,
  },
];

async function autopsy({ source, sources }: RouteContext): Promise<AutopsyAnswer> {
  const { process, ledgerDir } = await source();
  const deaths = autopsiesIn(ledgerDir === null ? sources.dir : dirname(ledgerDir));
  const own = process.state === 'running' ? undefined : deaths.find((death) => isOf(death, process));
  return { autopsy: own ?? null, story: deathStory(deaths), deaths: deaths.length };
}

/** True when an autopsy is about a process. Process ids are reused, so a time has to match, too. */
export function isOf({ pid, startedAt, endedAt }: Autopsy, process: ProcessRow): boolean {
  if (pid !== process.pid) return false;
  if (startedAt !== null) return Math.abs(startedAt - process.startedAt) < sameMs;
  return endedAt !== null && process.endedAt !== null && Math.abs(endedAt - process.endedAt) < sameMs;
}
