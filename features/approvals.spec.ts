import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { approval } from '@plimsoll/core';
import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { HeldRequests } from '@plimsoll/govern/internal/approvals/held-requests';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { expect } from 'vitest';

const feature = await loadFeature('./features/approvals.feature');

/** A governed process: its policy, its level, its desk and what waits. */
class Process {
  readonly clock = new FakeClock();
  readonly desk: ApprovalDesk;
  readonly held: HeldRequests;
  readonly uninstall: () => void;
  readonly client = new AbortController();
  policy: Policy;
  level: Level = 'normal';
  outcome: unknown;
  stopped: string | undefined;
  isSessionThere = true;

  constructor(text: string) {
    this.policy = parsePolicy(`apiVersion: plimsoll/v1\nmode: enforce\n${text}`, 'plimsoll.yaml');
    const { clock } = this;
    this.desk = new ApprovalDesk({ policy: this.policy, clock, levelOf: () => this.level });
    const policy = (): Policy => this.policy;
    this.held = new HeldRequests({ desk: this.desk, policy, level: () => this.level, clock });
    this.uninstall = installHeldGate(this.held);
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }

  async delegate(): Promise<void> {
    const scope = 'process/agent:planner';
    const request = { name: 'researcher', depth: 5, scope, signal: this.client.signal, waitMs: 300_000 };
    this.outcome = undefined;
    void approval('delegation', request).then(
      (leave) => (this.outcome = leave),
      (error: unknown) => (this.outcome = error),
    );
    await this.settle();
  }

  get ticket(): ApprovalRow {
    return this.desk.rows(1)[0] as ApprovalRow;
  }

  decide(decision: 'approve' | 'deny', by = 'user:root', groups: readonly string[] = []): void {
    const { id, digest } = this.ticket;
    const isOwner = by === 'user:root';
    this.desk.decide({ id, digest, decision, by, groups, isOwner, channel: 'cli' });
  }

  setLevel(level: Level): void {
    this.level = level;
    this.desk.levelChanged('process', level);
    this.held.levelChanged(level);
  }

  reachRung(): void {
    this.level = 'critical';
    this.desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'scope.stop',
      scope: 'process',
      args: { victims: ['process/session:7'] },
      level: 'critical',
      why: 'process holds 340.0 MiB of 400.0 MiB (85 %).',
      evidence: { victims: 'process/session:7' },
      requestedBy: 'ladder.critical (plimsoll.yaml:5)',
      policy: this.policy,
      isStillValid: () => this.isSessionThere,
      run: (as) => {
        this.stopped = as;
      },
    });
  }

  end(): void {
    this.desk.close();
    this.held.close();
    this.uninstall();
  }
}

const ladder = (more: string): string => `
ladder:
  critical: [ session.park, scope.stop: { approval: ops } ]
approvals:
  ops: { by: [ "group:sre" ], ttl: 2m, on-expiry: skip${more} }
`;

const events: Readonly<Record<string, (process: Process) => void>> = {
  'the owner denies it': (process) => process.decide('deny'),
  'nobody answers': (process) => process.clock.advance(120_000),
  'memory reaches emergency': (process) => process.setLevel('emergency'),
  'the policy changes': (process) => {
    process.policy = { ...process.policy, revision: 2 };
    process.desk.setPolicy(process.policy);
  },
  'the client goes away': (process) => process.client.abort(new Error('closed')),
  'the process ends': (process) => process.end(),
};

describeFeature(feature, ({ AfterEachScenario, Scenario, ScenarioOutline }) => {
  let process: Process;
  AfterEachScenario(() => process.end());

  Scenario('A delegation five levels deep goes on when the owner lets it', ({ Given, When, Then, And }) => {
    Given('a governed process without an approvals section', () => void (process = new Process('')));
    When('an agent delegates to "researcher" at depth 5', () => process.delegate());
    Then('it waits, and the owner sees who asked for what', () => {
      expect(process.outcome).toBeUndefined();
      expect(process.ticket).toMatchObject({
        requestedBy: 'agent:planner',
        why: 'delegation to "researcher" at depth 5 needs an approval by the policy.',
      });
    });
    When('the owner approves it', async () => {
      process.decide('approve');
      await process.settle();
    });
    Then('it goes on', () => expect(process.outcome).toMatchObject({ state: 'approved', by: 'user:root' }));
    And('the same delegation waits again the next time', async () => {
      await process.delegate();
      expect(process.outcome).toBeUndefined();
      expect(process.ticket.state).toBe('open');
    });
  });

  ScenarioOutline('Silence and refusals are clear', ({ Given, When, Then, And }, variables) => {
    Given('a governed process without an approvals section', () => void (process = new Process('')));
    When('an agent delegates to "researcher" at depth 5', () => process.delegate());
    And('<event>', async () => {
      events[variables['event'] as string]?.(process);
      await process.settle();
    });
    Then('it is refused with <code>', () => {
      expect(process.outcome).toBeInstanceOf(ApprovalRefusal);
      expect(process.outcome).toMatchObject({ code: variables['code'] });
    });
    And('a client is told to come back: <again>', () => {
      const { retryable, headers } = process.outcome as ApprovalRefusal;
      expect(retryable).toBe(variables['again'] === 'yes');
      expect('retry-after' in headers).toBe(retryable);
    });
  });

  Scenario(
    'The ladder asks before it stops a session, and looks again before it does',
    ({ Given, When, Then }) => {
      Given('a ladder whose rung "scope.stop" needs an approval of "group:sre"', () => {
        process = new Process(ladder(''));
      });
      When('the rung is reached for session 7', () => process.reachRung());
      Then('a ticket is open and the governor goes on', () => {
        process.desk.tick();
        expect(process.ticket).toMatchObject({ state: 'open', action: 'scope.stop' });
      });
      When('"user:ada" of "sre" approves it after session 7 has ended', () => {
        process.isSessionThere = false;
        process.decide('approve', 'user:ada', ['sre']);
        process.desk.tick();
      });
      Then('nothing is stopped and the ticket is "stale"', () => {
        expect(process.stopped).toBeUndefined();
        expect(process.ticket.state).toBe('stale');
      });
    },
  );

  Scenario('Nobody approves what they asked for themselves', ({ Given, When, Then, And }) => {
    let refusal: unknown;
    Given('a governed process in which "agent:planner" is an approver', () => {
      process = new Process(
        'approvals: { operator: { by: [ "agent:planner", owner ], ttl: 2m, on-expiry: deny, for: { operations: { from: critical } } } }',
      );
    });
    When('"agent:planner" asks for a critical operation and approves it', async () => {
      const asked = approval('operation', { name: 'export', critical: true, by: 'agent:planner' });
      void asked.then(
        (leave) => (process.outcome = leave),
        (error: unknown) => (process.outcome = error),
      );
      await process.settle();
      try {
        process.decide('approve', 'agent:planner');
      } catch (error) {
        refusal = error;
      }
    });
    Then('the decision is refused with PLM_APPROVAL_SELF', () => {
      expect(refusal).toMatchObject({ code: 'PLM_APPROVAL_SELF' });
    });
    And('the operation still waits', () => {
      expect([process.outcome, process.ticket.state]).toEqual([undefined, 'open']);
    });
  });

  Scenario(
    'At emergency the policy may decide, and people judge it afterwards',
    ({ Given, When, Then, And }) => {
      Given('a ladder whose rung "scope.stop" has a break-glass at emergency', () => {
        process = new Process(ladder(', break-glass: emergency'));
      });
      When('the rung is reached for session 7 and memory reaches emergency', () => {
        process.reachRung();
        process.setLevel('emergency');
        process.desk.tick();
      });
      Then('session 7 is stopped by "policy"', () => expect(process.stopped).toBe('policy'));
      And('a review ticket asks whether that was right', () => {
        expect(process.ticket).toMatchObject({ kind: 'review', state: 'open' });
      });
    },
  );
});
