/** Rounds in which two pods fight for one parked session while one of them is killed or stopped. */
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup, startGroup } from '../../process-group.ts';

interface Moment {
  readonly pod: number;
  readonly what: 'held' | 'parked';
  readonly at: bigint;
  readonly fence: number;
  readonly turns: number;
}

export interface LotRounds {
  readonly rounds: number;
  readonly moments: number;
  /** Moments at which a pod held the session after another one had begun to. */
  readonly twoOwners: number;
  /** Moments at which the session had forgotten a turn that was parked. */
  readonly lostTurns: number;
  /** Times that the session changed hands. */
  readonly handovers: number;
}

class Pod {
  readonly number: number;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;

  constructor(number: number, url: string, claimMs: number, heard: (moment: Moment) => void) {
    this.number = number;
    this.child = startGroup(
      process.execPath,
      ['--conditions=plimsoll-source', join(import.meta.dirname, 'pod.fixture.ts'), url, String(claimMs)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.child.stderr.pipe(process.stderr);
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const [what, at, fence, turns] = line.split(' ');
      // A killed pod may leave half a line.
      if (turns === undefined || (what !== 'held' && what !== 'parked')) return;
      heard({ pod: number, what, at: BigInt(at as string), fence: Number(fence), turns: Number(turns) });
    });
  }

  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** Fights; every second victim is not killed but stopped for longer than its claim lasts, and goes on afterwards. */
export async function fight(url: string, rounds: number, claimMs = 500): Promise<LotRounds> {
  const moments: Moment[] = [];
  let started = 0;
  const start = (): Pod => new Pod(++started, url, claimMs, (moment) => moments.push(moment));
  const heldBy = (pod: number, from: number): boolean =>
    moments.slice(from).some((moment) => moment.what === 'held' && moment.pod === pod);
  const wait = async (is: () => boolean): Promise<void> => {
    while (!is()) await sleep(5);
  };
  let pods: readonly [Pod, Pod] = [start(), start()];
  try {
    for (let round = 0; round < rounds; round++) {
      const [victim, other] = pods;
      await wait(() => heldBy(victim.number, moments.length - 1));
      await sleep(Math.random() * 30);
      if (round % 2 === 0) await victim.kill();
      else victim.child.kill('SIGSTOP');
      // Nobody else may have it for ever: the other pod gets it, at the latest when the claim has run out.
      const from = moments.length;
      await wait(() => heldBy(other.number, from));
      if (round % 2 === 0) pods = [other, start()];
      else {
        await sleep(claimMs);
        victim.child.kill('SIGCONT');
        pods = [other, victim];
      }
    }
  } finally {
    for (const { child } of pods) {
      child.kill('SIGCONT');
      endGroup(child);
    }
  }
  return judge(rounds, moments);
}

function judge(rounds: number, heard: readonly Moment[]): LotRounds {
  const moments = [...heard].sort((a, b) => (a.at < b.at ? -1 : 1));
  let [newest, parked, twoOwners, lostTurns, handovers] = [0, 0, 0, 0, 0];
  const owners = new Map<number, number>();
  for (const { what, fence, turns, pod } of moments) {
    if (what === 'parked') {
      parked = Math.max(parked, turns);
      continue;
    }
    if (fence < newest || (owners.get(fence) ?? pod) !== pod) twoOwners++;
    // A turn that was parked before the session was taken is never forgotten.
    if (!owners.has(fence) && turns <= parked) lostTurns++;
    if (!owners.has(fence)) handovers++;
    owners.set(fence, pod);
    newest = Math.max(newest, fence);
  }
  return { rounds, moments: moments.length, twoOwners, lostTurns, handovers };
}
