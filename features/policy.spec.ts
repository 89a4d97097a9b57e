import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { expect, vi } from 'vitest';
import { type Scope, open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { GovernedReading } from '@plimsoll/govern/internal/level/process-levels';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { LevelMachine } from '@plimsoll/govern/internal/level/level-machine';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { addCheckCommand } from '../packages/plimsoll/src/commands/check.ts';
import { runProgram } from '../packages/plimsoll/src/program.ts';

const MiB = 1024 ** 2;
const feature = await loadFeature('./features/policy.feature');
const dir = mkdtempSync(join(tmpdir(), 'plimsoll-feature-'));
const file = join(dir, 'plimsoll.yaml');

describeFeature(feature, ({ AfterAllScenarios, Scenario, ScenarioOutline }) => {
  AfterAllScenarios(() => rmSync(dir, { recursive: true, force: true }));

  Scenario('A misspelt policy is refused with its place and a cure', ({ Given, When, Then, And }) => {
    let code = -1;
    let text = '';
    Given('a policy in which an agent has the key "maxx" and a size without a unit', () => {
      writeFileSync(
        file,
        'apiVersion: plimsoll/v1\nbudgets:\n  agents:\n    planner: { maxx: 64MiB }\n    writer: { max: 64 }\n',
      );
    });
    When('the operator checks it', async () => {
      const stderr = new PassThrough();
      stderr.on('data', (chunk) => (text += String(chunk)));
      const io = { stdout: new PassThrough(), stderr, stdin: new PassThrough(), env: {}, cwd: dir };
      code = await runProgram(['check', 'plimsoll.yaml'], io, [addCheckCommand], '0.0.0');
    });
    Then('the check ends with exit code 1', () => expect(code).toBe(1));
    And(`it says '"maxx" is not a key of a budget' at line 4`, () => {
      expect(text).toContain('"maxx" is not a key of a budget.\n  at:  plimsoll.yaml:4:16');
    });
    And('it proposes to rename it to "max"', () => expect(text).toContain('rename it to "max"'));
    And('it also names the size without a unit', () => expect(text).toContain('plimsoll.yaml:5:20'));
  });

  Scenario('A bad edit keeps the last good policy', ({ Given, When, Then }) => {
    let policy: PolicyFile;
    const reports: string[] = [];
    const write = (text: string): void => writeFileSync(file, `apiVersion: plimsoll/v1\n${text}\n`);
    Given('a running process under revision 1', () => {
      write('revision: 1');
      policy = new PolicyFile(file, {
        pollMs: 10,
        settleMs: 10,
        onRefused: (error) => reports.push(error.message),
      });
      expect(policy.current.revision).toBe(1);
    });
    When('the file is changed to a faulty text', () => write('revision: 2\nmode: enforced'));
    Then('revision 1 stays in force and the fault is reported', async () => {
      await vi.waitFor(() => expect(reports).toHaveLength(1));
      expect(reports[0]).toContain('revision 1 stays in force');
      expect(policy.current.revision).toBe(1);
    });
    When('the file is corrected as revision 2', () => write('revision: 2\nmode: enforce'));
    Then('revision 2 is in force', async () => {
      await vi.waitFor(() => expect(policy.current.revision).toBe(2));
      policy.close();
    });
  });

  Scenario('A session that outgrows its budget is named', ({ Given, And, When, Then }) => {
    const clock = new FakeClock();
    const changes: LevelChange[] = [];
    let governor: Governor;
    let sessions: Scope[];
    const run = (seconds: number): void => {
      for (let i = 0; i < seconds; i++) {
        governor.tick(reading(clock.now()));
        clock.advance(1000);
      }
    };
    Given('a policy with 8 MiB for each session and 16 MiB for "vip-*"', () => {
      const policy = parsePolicy(
        'apiVersion: plimsoll/v1\nsignal: { grace: 0s }\nbudgets: { sessions: { "*": { max: 8MiB }, "vip-*": { max: 16MiB } } }',
        'plimsoll.yaml',
      );
      governor = new Governor({ policy, clock, scopes: () => roster.open });
      governor.onLevel((change) => changes.push(change));
      governor.start();
    });
    And('the sessions "42" and "vip-7" hold 9 MiB each', () => {
      sessions = ['42', 'vip-7'].map((name) => open('session', name));
      for (const session of sessions) session.charge(9 * MiB);
    });
    When('readings come for 10 seconds', () => run(10));
    Then(`"process/session:42" is at level "emergency" by the rule 'sessions "*"'`, () => {
      expect(changes).toMatchObject([
        { scope: 'process/session:42', level: 'emergency', rule: 'sessions "*" (plimsoll.yaml:3)' },
      ]);
    });
    And('"process/session:vip-7" is at level "normal"', () => {
      expect(governor.raised().map(({ scope }) => scope)).toEqual(['process/session:42']);
    });
    When('session "42" closes', async () => {
      await sessions[0]?.close();
      run(1);
    });
    Then('its level is over', async () => {
      expect(changes.at(-1)).toMatchObject({
        scope: 'process/session:42',
        level: 'normal',
        source: 'closed',
      });
      governor.stop();
      await sessions[1]?.close();
    });
  });

  Scenario('Garbage that comes and goes raises nothing', ({ Given, When, Then }) => {
    const machine = new LevelMachine(builtInPolicy.levels);
    let ratioAt: (second: number) => number;
    let raised = 0;
    Given('a healthy process whose raw heap swings between 54 % and 70 %', () => {
      ratioAt = (second) => 0.54 + 0.16 * ((second % 25) / 24);
    });
    When('readings come for an hour', () => {
      for (let i = 0; i < 3600; i++) if (machine.tick(i * 1000, ratioAt(i), 1000) !== 'normal') raised++;
    });
    Then('no level changes', () => expect(raised).toBe(0));
  });

  ScenarioOutline(
    'A leak is caught shortly after it crosses each line',
    ({ Given, When, Then }, variables) => {
      const machine = new LevelMachine(builtInPolicy.levels);
      const rises: { level: string; second: number }[] = [];
      let perSecond = 0;
      Given('a process that leaks <percent> % of its limit per second', () => {
        perSecond = Number(variables['percent']) / 100;
      });
      When('readings come until the limit is reached', () => {
        let before = 'normal';
        for (let second = 0; second * perSecond < 1; second++) {
          const level = machine.tick(second * 1000, second * perSecond, 1000);
          if (level !== before) rises.push({ level, second });
          before = level;
        }
      });
      Then('the levels rise in order, each at most <late> seconds after its line', () => {
        expect(rises.map(({ level }) => level)).toEqual(['warning', 'critical', 'emergency']);
        rises.forEach(({ second }, i) => {
          const crossed = ([0.6, 0.8, 0.95][i] as number) / perSecond;
          expect(second - crossed).toBeLessThanOrEqual(Number(variables['late']));
        });
      });
    },
  );
});

function reading(at: number): GovernedReading {
  return {
    at,
    heapUsed: 30 * MiB,
    floor: 20 * MiB,
    floorAgeMs: 0,
    majors: 1,
    rss: 90 * MiB,
    pressures: [{ source: 'heap', used: 20 * MiB, limit: 400 * MiB }],
    lateMs: 0,
  };
}
