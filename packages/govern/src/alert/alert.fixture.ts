import type { LevelChange } from '../level/level-change.ts';
import type { Level } from '@plimsoll/core/internal/level';
import type { AlertRules, RecipientRule } from '../policy/sections/alert-rules.ts';
import { alertDefaults } from '../policy/sections/alert-rules.ts';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { AlertEvent } from './alert-router.ts';
import { AlertRouter } from './alert-router.ts';
import type { Alert, Notice } from './alert.ts';
import type { AlertSink, MirrorSink } from './sinks/sink.ts';
import type { ActionRecord } from '../actions/action.ts';
import { linesOf, titleOf } from './notice-text.ts';

export const second = 1000;
export const minute = 60_000;
export const hour = 3_600_000;
const mib = 1024 ** 2;

/** A recipient that records its notices and can be made to fail. */
export class ListSink implements AlertSink {
  readonly name: string;
  readonly notices: Notice[] = [];
  fails: Error | undefined;

  constructor(name: string) {
    this.name = name;
  }

  deliver(notice: Notice): Promise<void> {
    if (this.fails !== undefined) return Promise.reject(this.fails);
    this.notices.push(notice);
    return Promise.resolve();
  }
}

export class StateSink implements MirrorSink {
  readonly name: string;
  readonly resendMs = minute;
  readonly states: (readonly Alert[])[] = [];
  fails: Error | undefined;

  constructor(name: string) {
    this.name = name;
  }

  mirror(alerts: readonly Alert[]): Promise<void> {
    this.states.push(alerts);
    return this.fails === undefined ? Promise.resolve() : Promise.reject(this.fails);
  }
}

export function recipientRule(name: string, more: Partial<RecipientRule> = {}): RecipientRule {
  return {
    name,
    kind: 'webhook',
    timeoutMs: 5 * second,
    attempts: 3,
    resendMs: minute,
    allowPrivate: false,
    place: { file: 'plimsoll.yaml', line: 1, column: 1 },
    ...more,
  };
}

/** A router with its own clock and with recipients that record their notices. */
export function routerOf(
  options: {
    rules?: Partial<AlertRules>;
    sinks?: readonly (ListSink | StateSink)[];
    most?: number;
  } = {},
) {
  const clock = new FakeClock();
  const sinks = options.sinks ?? [new ListSink('ops')];
  const names = sinks.map(({ name }) => name);
  const rules: AlertRules = {
    ...alertDefaults,
    routes: { warning: names, critical: names, emergency: names },
    ...options.rules,
  };
  const events: AlertEvent[] = [];
  const router = new AlertRouter({
    rules,
    recipients: sinks.map((sink) => ({ rule: recipientRule(sink.name), sink })),
    service: 'checkout',
    pod: 'pod-1',
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...(options.most === undefined ? {} : { most: options.most }),
  });
  /** Lets time pass in steps. In between, everything that waits for a turn of the loop runs. */
  const pass = async (ms: number, stepMs = ms): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(stepMs, left));
      await settle();
    }
  };
  return { clock, router, sinks, rules, events, pass };
}

/** Lets promises that are due run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 12; i++) await Promise.resolve();
}

export function change(scope: string, level: Level, more: Partial<LevelChange> = {}): LevelChange {
  const ratio = { normal: 0.3, warning: 0.7, critical: 0.85, emergency: 0.97 }[level];
  return {
    scope,
    level,
    from: 'normal',
    ratio,
    usedBytes: Math.round(ratio * 64 * mib),
    limitBytes: 64 * mib,
    source: scope === 'process' ? 'heap' : 'account',
    rule: 'sessions "*" (plimsoll.yaml:21)',
    at: 0,
    mode: 'enforce',
    policy: { revision: 1, sha256: 'ab' },
    ...more,
  };
}

/** A notice in one line: "critical: +session/critical -process/warning". */
export function shortly({ level, firing, resolved }: Notice): string {
  const name = ({ labels }: Alert): string => `${labels.kind}/${labels.level}`;
  return [
    `${level}:`,
    ...firing.map((each) => `+${name(each)}`),
    ...resolved.map((each) => `-${name(each)}`),
  ].join(' ');
}

export function oneSink(rules: Parameters<typeof routerOf>[0] = {}) {
  const sink = new ListSink('ops');
  return { ...routerOf({ sinks: [sink], ...rules }), sink };
}

export const textOf = (notice: Notice | undefined): string =>
  notice === undefined ? '' : [titleOf(notice), ...linesOf(notice)].join('\n');

export const record = (action: string, outcome: string, more: Partial<ActionRecord> = {}): ActionRecord =>
  ({
    action,
    outcome,
    scope: 'process/session:1',
    level: 'critical',
    text: `${action} ended 1 scope.`,
    mode: 'enforce',
    freedBytes: 0,
    rule: 'ladder.critical (plimsoll.yaml:30)',
    change: change('process/session:1', 'critical'),
    at: 0,
    policy: { revision: 1, sha256: 'ab' },
    ...more,
  }) as ActionRecord;
