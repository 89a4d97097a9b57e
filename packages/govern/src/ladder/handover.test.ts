import { expect, test } from 'vitest';
import { enforce, LadderRig, MiB } from './ladder.fixture.ts';

const policy = enforce(
  '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse, process.restart: { after: 60s, handover-after: 3s, handovers: 5/h, overlap: 64MiB } ]',
);

/** A process most of whose memory is in no open scope, and whose next life can take over. */
function leaking(): {
  rig: LadderRig;
  state: { mayHandOver: boolean; isUnderWay: boolean; endsInMs: number | undefined };
  asked: unknown[];
} {
  const state = { mayHandOver: true, isUnderWay: true, endsInMs: undefined as number | undefined };
  const asked: unknown[] = [];
  const rig = new LadderRig(policy, {
    unattributedBytes: () => 300 * MiB,
    restartState: {
      get isUnderWay() {
        return state.isUnderWay;
      },
      get endsInMs() {
        return state.endsInMs;
      },
      mayHandOver(request) {
        asked.push(request);
        return state.mayHandOver;
      },
    },
  });
  rig.keeper('pool', MiB);
  return { rig, state, asked };
}

test('the next life takes over before anybody is refused', async () => {
  const { rig, asked } = leaking();
  using _rig = rig;
  rig.level('emergency');
  await rig.run(2);
  expect(rig.restarts).toEqual([]);
  await rig.run(10);
  expect(rig.restarts).toHaveLength(1);
  expect(rig.restarts[0]).toMatchObject({
    handovers: { count: 5, perMs: 3_600_000 },
    overlapBytes: 64 * MiB,
  });
  expect(asked[0]).toEqual({ handovers: { count: 5, perMs: 3_600_000 }, overlapBytes: 64 * MiB });
  expect(rig.admission.orders).toEqual([]);
});

test('with little time left the next life is asked for at once', async () => {
  const { rig, state } = leaking();
  using _rig = rig;
  state.endsInMs = 12_000;
  rig.level('emergency');
  await rig.run(1);
  expect(rig.restarts).toHaveLength(1);
});

test('where most of the memory is in open scopes a next life would be as full, so work is refused', async () => {
  const { rig } = leaking();
  using _rig = rig;
  rig.live = 700 * MiB;
  rig.limit = 720 * MiB;
  rig.level('emergency');
  await rig.run(20);
  expect([rig.restarts, rig.admission.orders]).toEqual([[], ['refuse']]);
});

test('without a next life work is refused at once, and the restart comes when its time is over', async () => {
  const { rig, state } = leaking();
  using _rig = rig;
  state.mayHandOver = false;
  rig.level('emergency');
  await rig.run(20);
  expect([rig.restarts, rig.admission.orders]).toEqual([[], ['refuse']]);
  await rig.run(60);
  expect(rig.restarts).toHaveLength(1);
});

test('a restart that was taken back leaves the ladder at work', async () => {
  const { rig, state } = leaking();
  using _rig = rig;
  rig.level('emergency');
  await rig.run(5);
  expect(rig.restarts).toHaveLength(1);
  await rig.run(30);
  expect([rig.restarts.length, rig.admission.orders]).toEqual([1, []]);
  state.isUnderWay = false;
  state.mayHandOver = false;
  await rig.run(10);
  expect(rig.admission.orders).toEqual(['refuse']);
});
