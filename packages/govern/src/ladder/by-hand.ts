import { failure } from '@plimsoll/core/internal/errors';
import type { Level } from '@plimsoll/core/internal/level';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionContext, ActionRecord } from '../actions/action.ts';
import { runnerOf } from '../actions/action-runners.ts';
import type { Levers, LeverScope } from '../actions/levers.ts';
import { StopGuard } from '../actions/stop-guard.ts';
import type { LevelChange } from '../level/level-change.ts';
import { actions } from '../policy/actions.ts';
import type { ActionName } from '../policy/actions.ts';
import { checkPolicy } from '../policy/parse.ts';
import type { Policy, Rung } from '../policy/policy.ts';
import type { ActionLog } from './action-log.ts';
import { Narrator } from './narrator.ts';
import type { Step } from './steps.ts';
import { Subject } from './subject.ts';

/** A person's request for an action. */
interface HandRequest {
  readonly action: string;
  /** Path or `kind:name` of an open scope; the process when it is left out. */
  readonly scope?: string | undefined;
  /** Options of the action as a policy would have them, e.g. `{ until: "60%" }`. */
  readonly options: Readonly<Record<string, string>>;
  /** The person, as the ledger records it: `user:ann`. */
  readonly by: string;
  /** Ends a quarantine instead of beginning one. */
  readonly isOff?: boolean | undefined;
}

interface HandActionsOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly levers: Levers;
  readonly policy: () => Policy;
  readonly standing: () => { readonly usedBytes: number; readonly limitBytes: number; readonly level: Level };
}

const defaultTimeoutMs = 10_000;
const mostListed = 5;
/**
 * A policy needs an action that frees memory before one that ends work. So a person's request is read as a policy with this one before it.
 */
const freeing = 'keepers.shrink';

/**
 * Actions of the ladder that a person asks for, whatever the level. They run with the same code and are recorded like those of the ladder,
 * with the name of the person. They wait for an approval where the policy wants one for that action or for operations.
 */
export class HandActions {
  readonly #options: HandActionsOptions;
  readonly #narrator: Narrator;
  readonly #guard: StopGuard;

  constructor(options: HandActionsOptions) {
    this.#options = options;
    this.#narrator = new Narrator(options.clock);
    this.#guard = new StopGuard(options.policy().guards.destructive);
  }

  get log(): ActionLog {
    return this.#narrator.log;
  }

  /** Runs it, or files a ticket and returns a waiting record. Throws for a request that makes no sense. */
  async run(request: HandRequest): Promise<ActionRecord> {
    const rung = rungOf(request);
    const target = this.#scopeOf(request.scope);
    if (rung.action === 'scope.quarantine' && target === undefined)
      throw failure('PLM_ACT_SCOPE', {
        scope: 'none',
        why: 'a quarantine needs a scope, such as session:42',
      });
    const declared = actions[rung.action as ActionName];
    if (declared.reach === 'process' && target !== undefined)
      throw failure('PLM_ACT_SCOPE', {
        scope: target.path,
        why: `${rung.action} acts on the whole process`,
      });
    const job = this.#job(rung, target, request.by);
    if (request.isOff === true) return this.#release(job, target);
    const approval = this.#approvalFor(rung);
    const gate = this.#options.levers.approvals;
    if (approval === undefined || gate === undefined) return this.#act(job);
    return this.#file(job, approval, gate, request.by);
  }

  #job(rung: Rung, target: LeverScope | undefined, by: string): Job {
    const policy = this.#options.policy();
    const { usedBytes, limitBytes, level } = this.#options.standing();
    const isStop = actions[rung.action as ActionName].nature === 'stops';
    // An action that stops or quarantines scopes runs for the process and chooses a scope. Here the person names the scope.
    const path = target === undefined || isStop ? 'process' : target.path;
    const change: LevelChange = {
      scope: path,
      level,
      from: level,
      ratio: limitBytes > 0 ? usedBytes / limitBytes : 0,
      usedBytes,
      limitBytes,
      source: 'policy',
      rule: `by hand (${by})`,
      at: this.#options.clock.now(),
      mode: 'enforce',
      policy: { revision: policy.revision, sha256: policy.sha256 },
    };
    const standing = { id: path === 'process' ? 0 : (target as LeverScope).id, usedBytes, limitBytes };
    const step: Step = {
      rung,
      level: 'warning',
      index: 1,
      key: `hand/${rung.action}`,
      mode: 'enforce',
      nature: actions[rung.action as ActionName].nature,
      action: runnerOf(rung.action) as Step['action'],
      rule: `by hand (${by})`,
    };
    const subject = new Subject(change, standing);
    const victims = isStop && target !== undefined ? [target.path] : undefined;
    const record = this.#narrator.recordOf(subject, step, policy);
    return { step, subject, victims, record: { ...record, scope: target?.path ?? path } };
  }

  async #act({ step, subject, victims, record }: Job): Promise<ActionRecord> {
    const timeoutMs = step.rung.timeoutMs ?? step.action.timeoutMs ?? defaultTimeoutMs;
    const signal = AbortSignal.timeout(timeoutMs);
    const given = victims === undefined ? {} : { victims };
    try {
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener(
          'abort',
          () => reject(new Error(`it did not end within ${formatDuration(timeoutMs)}`)),
          { once: true },
        );
      });
      late.catch(() => undefined);
      const context = this.#context(step, subject, victims, timeoutMs, signal);
      const effect = await Promise.race([step.action.run(context), late]);
      const outcome = effect.isSkipped === true ? 'skipped' : 'done';
      const { text, releasedBytes } = effect;
      return this.#tell({ ...record, ...given, outcome, text: sentence(text), releasedBytes });
    } catch (error) {
      return this.#tell({ ...record, ...given, outcome: 'failed', text: sentence(String(error)) });
    }
  }

  #release({ record }: Job, target: LeverScope | undefined): ActionRecord {
    const isEnded =
      target !== undefined && this.#options.levers.admission?.unquarantine?.(target.path) === true;
    return this.#tell({
      ...record,
      action: 'scope.release',
      outcome: isEnded ? 'done' : 'skipped',
      text: isEnded ? `takes work again: ${target.path}.` : 'was in no quarantine.',
    });
  }

  #file(job: Job, approval: string, gate: NonNullable<Levers['approvals']>, by: string): ActionRecord {
    const { step, subject, record, victims } = job;
    const plan = step.action.plan(this.#context(step, subject, victims, defaultTimeoutMs, never));
    const { id } = gate.request({
      approval,
      kind: 'action',
      action: step.rung.action,
      scope: subject.path,
      args: { options: step.rung.options, victims: victims ?? [] },
      level: subject.level,
      why: `${by} asks for ${step.rung.action} by hand`,
      evidence: { plan: plan.text, projected: plan.projectedBytes },
      requestedBy: `by hand (${by})`,
      policy: record.policy,
      isStillValid: () => true,
      run: () => void this.#act(job),
      onRefused: (state) =>
        void this.#tell({ ...record, outcome: 'skipped', text: `was not let: ${state}.` }),
    });
    const text = `waits for approval ${id} (${approval}).`;
    return this.#tell({ ...record, outcome: 'waiting', text });
  }

  #tell(record: ActionRecord): ActionRecord {
    this.#narrator.log.publish(record);
    return record;
  }

  /**
   * The entry of `approvals` that has to agree: the one of the rung in the policy, or the one of operations when the owner may not decide
   * alone.
   */
  #approvalFor(rung: Rung): string | undefined {
    const { ladder, approvals } = this.#options.policy();
    const same = Object.values(ladder)
      .flat()
      .find(({ action, approval }) => action === rung.action && approval !== undefined);
    if (same?.approval !== undefined) return same.approval;
    const name = approvals.operations?.approval;
    const rule = name === undefined ? undefined : approvals.rules[name];
    return rule !== undefined && (rule.quorum > 1 || !rule.by.includes('owner')) ? name : undefined;
  }

  #scopeOf(asked: string | undefined): LeverScope | undefined {
    if (asked === undefined || asked === 'process') return undefined;
    const all = [...(this.#options.levers.scopes?.() ?? [])];
    const exact = all.filter(({ path }) => path === asked || path === `process/${asked}`);
    const found = exact.length > 0 ? exact : all.filter(({ kind, name }) => `${kind}:${name}` === asked);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const why =
      only === undefined
        ? 'no open scope is called so'
        : `${found.length} open scopes are called so: ${found
            .slice(0, mostListed)
            .map(({ path }) => path)
            .join(', ')}`;
    throw failure('PLM_ACT_SCOPE', { scope: asked, why });
  }

  #context(
    step: Step,
    { change, level, path }: Subject,
    victims: readonly string[] | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): ActionContext {
    const { levers, policy, clock } = this.#options;
    return {
      scope: path,
      level,
      change,
      usedBytes: change.usedBytes,
      limitBytes: change.limitBytes,
      options: step.rung.options,
      policy: policy(),
      levers,
      guard: this.#guard,
      nowMs: clock.monotonic(),
      victims,
      timeoutMs,
      signal,
    };
  }
}

interface Job {
  readonly step: Step;
  readonly subject: Subject;
  readonly victims: readonly string[] | undefined;
  readonly record: ActionRecord;
}

const never = new AbortController().signal;

/** The rung in the form of a policy, so that the same declaration reads and checks its options. */
function rungOf({ action, options }: HandRequest): Rung {
  if (!Object.hasOwn(actions, action))
    throw failure('PLM_ACT_UNKNOWN', { action, known: Object.keys(actions) });
  const words = Object.entries(options).map(([key, value]) => `${JSON.stringify(key)}: ${scalar(value)}`);
  const text = `apiVersion: plimsoll/v1\nladder:\n  warning:\n    - ${freeing}\n  emergency:\n    - ${action}: { ${words.join(', ')} }\n`;
  const checked = checkPolicy(text, 'plimsoll act');
  if (checked.policy === undefined) throw checked.problems[0] as Error;
  return checked.policy.ladder.emergency.at(-1) as Rung;
}

/** A typed value as YAML: numbers stay numbers and a comma makes a list. */
function scalar(value: string): string {
  if (/^\d+(?:\.\d+)?$/.test(value)) return value;
  if (value.includes(','))
    return `[${value
      .split(',')
      .map((each) => scalar(each.trim()))
      .join(', ')}]`;
  return JSON.stringify(value);
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
