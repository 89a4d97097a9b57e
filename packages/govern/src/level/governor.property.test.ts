import { expect, test } from 'vitest';
import type { TestScope } from './governor.fixture.ts';
import { MiB, Rig, policyOf } from './governor.fixture.ts';
import type { LevelChange } from './level-change.ts';
import { seeded } from './trace.fixture.ts';

const policies = [
  'budgets: { sessions: { "*": { max: 8MiB } } }',
  'budgets: { sessions: { "*": { max: 4MiB }, "1*": { max: 5% } }, agents: { "*": { max: 16MiB } } }',
  'budgets: { agents: { "*": { max: 32MiB } } }\nexempt: { scopes: [ "agent:2" ] }',
  'levels: { warning: { for: 2s, keep: 2s }, critical: { for: 1s, keep: 2s }, emergency: { for: 0s, keep: 1s } }\nbudgets: { sessions: { "*": { max: 8MiB } } }',
].map((text) => policyOf(`signal: { grace: 0s }\n${text}`));

/** Random opening, closing, growing, swapping and ticking; returns every change that was told. */
function live(seed: number): { changes: LevelChange[]; rig: Rig; faults: string[] } {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const rig = new Rig(pick(policies), { maxWatched: 8, maxScopesPerTick: 16 });
  const faults: string[] = [];
  const open: TestScope[] = [];
  for (let step = 0; step < 150; step++) {
    const dice = random();
    if (dice < 0.3) {
      const agent = open.find(({ kind }) => kind === 'agent');
      const kind = random() < 0.3 ? 'agent' : 'session';
      const inside = kind === 'session' && agent !== undefined && random() < 0.5;
      open.push(rig.open(kind, `${Math.floor(30 * random())}-${step}`, inside ? { parent: agent } : {}));
    } else if (dice < 0.4 && open.length > 0) {
      const [scope] = open.splice(Math.floor(random() * open.length), 1) as [TestScope];
      scope.account.closed = true;
      scope.account.held = 0;
      rig.scopes.delete(scope);
    } else if (dice < 0.6 && open.length > 0) pick(open).account.held = 20 * random() * MiB;
    else if (dice < 0.65) rig.governor.setPolicy(pick(policies));
    else if (dice < 0.7) rig.liveBytes = 500 * random() * MiB;
    else rig.run(1 + Math.floor(10 * random()));
    const { watched, budgeted } = rig.governor.counts;
    if (watched > 8) faults.push(`seed ${seed}: ${watched} watched`);
    if (budgeted > rig.scopes.size + 40)
      faults.push(`seed ${seed}: ${budgeted} rows for ${rig.scopes.size} scopes`);
  }
  return { changes: rig.changes, rig, faults };
}

test('whatever happens, levels are told without gaps and bounds hold', () => {
  const faults: string[] = [];
  let told = 0;
  for (let seed = 0; seed < 400; seed++) {
    const run = live(seed);
    faults.push(...run.faults);
    const levels = new Map<string, string>();
    for (const { scope, from, level, ratio, limitBytes } of run.changes) {
      told++;
      if ((levels.get(scope) ?? 'normal') !== from) faults.push(`seed ${seed}: ${scope} was not ${from}`);
      if (from === level) faults.push(`seed ${seed}: ${scope} told nothing`);
      if (!(ratio >= 0) || !(limitBytes >= 1))
        faults.push(`seed ${seed}: ${scope} ratio ${ratio} of ${limitBytes}`);
      levels.set(scope, level);
    }
    const raised = new Map(run.rig.governor.raised().map(({ scope, level }) => [scope, level as string]));
    for (const [scope, level] of levels)
      if (level !== (raised.get(scope) ?? 'normal') && !isGone(scope, run.rig))
        faults.push(`seed ${seed}: ${scope} told ${level}, is ${raised.get(scope)}`);
    run.rig.governor.stop();
  }
  expect(faults.slice(0, 5)).toEqual([]);
  expect(told).toBeGreaterThan(1000);
});

/** A scope that closed after the last tick is told at the next one. */
function isGone(path: string, rig: Rig): boolean {
  return path !== 'process' && ![...rig.scopes].some((scope) => scope.path === path);
}
