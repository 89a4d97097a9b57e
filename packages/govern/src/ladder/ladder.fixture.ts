import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { ActionRecord } from '../actions/action.ts';
import { policyOf } from '../level/governor.fixture.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { AdmissionLever, ApprovalTicket, LeverScope, Levers } from '../actions/levers.ts';
import type { RestartAnswer, RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';
import { Ladder } from './ladder.ts';

export const MiB = 1024 ** 2;

/** A policy that enforces a ladder. */
export const enforce = (ladder: string, more = ''): string => `mode: enforce\n${more}\nladder:\n${ladder}`;

/** A keeper that a test makes shed, throw or hang. */
export class TestKeeper implements Keeper {
  readonly name: string;
  readonly kind: string;
  bytes: number;
  readonly asked: ShedRequest[] = [];
  scale = 1;
  /** The answer of a shed. By default it frees the requested bytes. */
  answer: (request: ShedRequest) => number | Promise<number> = (request) =>
    this.give(Math.min(request.bytes, this.bytes));
  onGive: (bytes: number) => void = () => undefined;

  constructor(kind: string, bytes: number, name = 'test') {
    this.kind = kind;
    this.bytes = bytes;
    this.name = name;
  }

  give(bytes: number): number {
    this.bytes -= bytes;
    this.onGive(bytes);
    return bytes;
  }

  stats(): object {
    return {};
  }

  async shed(request: ShedRequest): Promise<number> {
    this.asked.push(request);
    return this.answer(request);
  }

  scaleIdle(ratio: number): void {
    this.scale = ratio;
  }
}

/** Shed points that record their orders. */
export class TestAdmission implements AdmissionLever {
  readonly orders: string[] = [];
  throttling: number | undefined;
  isRefusing = false;
  isClamped = false;
  admitted = 0;
  refused = 0;

  throttle({ ratio }: { readonly ratio: number }): void {
    if (this.throttling === undefined) this.orders.push('throttle');
    this.throttling = ratio;
  }

  refuse(): void {
    this.isRefusing = true;
    this.orders.push('refuse');
  }

  clamp(): void {
    this.isClamped = true;
    this.orders.push('clamp');
  }

  release(what?: 'throttle' | 'refuse' | 'clamp'): void {
    this.orders.push(`release ${what ?? 'all'}`);
    if (what === undefined || what === 'throttle') this.throttling = undefined;
    if (what === undefined || what === 'refuse') this.isRefusing = false;
    if (what === undefined || what === 'clamp') this.isClamped = false;
  }

  counts(): { readonly admitted: number; readonly refused: number } {
    return { admitted: this.admitted, refused: this.refused };
  }
}

let lastScopeId = 1000;

/** An open scope with the numbers a test gives it. */
export class TestLeverScope implements LeverScope {
  readonly id = ++lastScopeId;
  readonly kind: string;
  readonly name: string;
  readonly parent: TestLeverScope | undefined;
  bytes: number;
  budget: number | undefined;
  idleMs = 0;
  ageMs = 60_000;
  leases = 0;
  closedFor: string | undefined;
  onClose: (scope: TestLeverScope) => Promise<unknown> = () => Promise.resolve();

  constructor(kind: string, name: string, bytes: number, more: Partial<TestLeverScope> = {}) {
    this.kind = kind;
    this.name = name;
    this.bytes = bytes;
    this.parent = more.parent;
    Object.assign(this, more);
  }

  get path(): string {
    return `${this.parent?.path ?? 'process'}/${this.kind}:${this.name}`;
  }

  close(reason: string): Promise<unknown> {
    this.closedFor = reason;
    return this.onClose(this);
  }
}

/** A ladder with levels, memory and levers that a test sets, and one reading per second. */
export class LadderRig implements Disposable {
  readonly clock = new FakeClock();
  readonly admission = new TestAdmission();
  readonly keepers: TestKeeper[] = [];
  scopes: TestLeverScope[] = [];
  readonly tickets: ApprovalTicket[] = [];
  readonly restarts: RestartRequest[] = [];
  restartAnswer: RestartAnswer = { state: 'draining' };
  readonly records: ActionRecord[] = [];
  collections = 0;
  /** Live bytes of the process. Bytes that keepers and scopes free are subtracted. */
  live = 390 * MiB;
  limit = 400 * MiB;
  external = 0;
  majors = 1;
  /** Seconds between two major GCs; 0 for none by themselves. */
  gcEvery = 2;
  readonly ladder: Ladder;
  readonly #onAction = (record: unknown): void => void this.records.push(record as ActionRecord);
  #level: Level = 'normal';
  #seconds = 0;

  constructor(policy: string | Policy, levers: Partial<Levers> = {}) {
    this.ladder = new Ladder({
      policy: typeof policy === 'string' ? policyOf(policy) : policy,
      clock: this.clock,
      levers: {
        keepers: () => this.keepers,
        scopes: () => this.scopes.filter((scope) => scope.closedFor === undefined),
        admission: this.admission,
        gc: () => {
          this.collections++;
          this.majors++;
        },
        hurry: () => undefined,
        restart: (request) => {
          this.restarts.push(request);
          return this.restartAnswer;
        },
        approvals: {
          request: (ticket) => {
            this.tickets.push(ticket);
            return { id: `t${this.tickets.length}`, state: 'open' };
          },
        },
        ...levers,
      },
    });
    subscribe('plimsoll:action', this.#onAction);
  }

  readonly standing = ((rig: LadderRig) => ({
    id: 0,
    get usedBytes() {
      return rig.live;
    },
    get limitBytes() {
      return rig.limit;
    },
    machine: { lifted: false },
  }))(this);

  keeper(kind: string, bytes: number): TestKeeper {
    const keeper = new TestKeeper(kind, bytes, `${kind} ${this.keepers.length}`);
    keeper.onGive = (given) => {
      this.live -= given;
    };
    this.keepers.push(keeper);
    return keeper;
  }

  scope(kind: string, name: string, bytes: number, more: Partial<TestLeverScope> = {}): TestLeverScope {
    const scope = new TestLeverScope(kind, name, bytes, more);
    scope.onClose = async (gone) => {
      this.live -= gone.bytes;
    };
    this.scopes.push(scope);
    return scope;
  }

  changeOf(level: Level, from: Level, scope = 'process'): LevelChange {
    return {
      scope,
      level,
      from,
      ratio: this.live / this.limit,
      usedBytes: this.live,
      limitBytes: this.limit,
      source: 'heap',
      rule: 'limits.heap (plimsoll.yaml)',
      at: this.clock.now(),
      mode: 'enforce',
      policy: { revision: 1, sha256: 'x' },
    };
  }

  level(level: Level): void {
    if (level === this.#level) return;
    const change = this.changeOf(level, this.#level);
    this.#level = level;
    this.ladder.change(change, this.standing);
  }

  /** Sets the level by the live bytes, without any delay. */
  judge(): void {
    const ratio = this.live / this.limit;
    const now = levels.indexOf(this.#level);
    const enters = [0, 0.6, 0.8, 0.95];
    const exits = [0, 0.55, 0.75, 0.9];
    let next = now;
    for (let i = 3; i > now; i--) {
      if (ratio >= (enters[i] as number)) {
        next = i;
        break;
      }
    }
    while (next > 0 && ratio < (exits[next] as number)) next--;
    this.level(levels[next] as Level);
  }

  tick(stepMs = 1000): void {
    this.#seconds++;
    if (this.gcEvery > 0 && this.#seconds % this.gcEvery === 0) this.majors++;
    const { majors, live, external } = this;
    this.ladder.tick({ majors, floor: live - external, external }, this.clock.monotonic(), stepMs);
  }

  /** Lets seconds pass with a reading in each, and runs pending promises. */
  async run(seconds: number, each?: (second: number) => void): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      each?.(i);
      this.tick();
      await turn();
      this.clock.advance(1000);
      await turn();
    }
  }

  /** "keepers.shrink done 40.0". */
  story(): string[] {
    return this.records.map(({ action, outcome, freedBytes }) =>
      [action, outcome, ...(freedBytes === null ? [] : [(freedBytes / MiB).toFixed(1)])].join(' '),
    );
  }

  texts(): string[] {
    return this.records.map(({ action, outcome, text }) => `${action} ${outcome}: ${text}`);
  }

  [Symbol.dispose](): void {
    this.ladder.stop();
    unsubscribe('plimsoll:action', this.#onAction);
  }
}

/** Lets promises settle. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
