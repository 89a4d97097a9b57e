import { AlertmanagerSink } from '@plimsoll/govern/internal/alert/sinks/alertmanager-sink';
import { LogSink } from '@plimsoll/govern/internal/alert/sinks/log-sink';
import { SlackSink } from '@plimsoll/govern/internal/alert/sinks/slack-sink';
import { WebhookSink } from '@plimsoll/govern/internal/alert/sinks/webhook-sink';
import type { AlertLogger } from '@plimsoll/govern/internal/alert/sinks/log-sink';
import type { AlertRules, RecipientRule } from '@plimsoll/govern/internal/policy/sections/alert-rules';
import type { AlertSink, MirrorSink } from '@plimsoll/govern/internal/alert/sinks/sink';
import type { Notice } from '@plimsoll/govern/internal/alert/alert';

type Environment = Readonly<Record<string, string | undefined>>;

/** The logger of a program that passed none. It emits process warnings, which go to stderr. */
const warnings: AlertLogger = { info: warn, warn, error: warn };

function warn(message: string): void {
  process.emitWarning(message, { type: 'PlimsollAlert' });
}

/** Every recipient of the policy, each with the sink that delivers to it. */
export function recipientsOf(
  rules: AlertRules,
  env: Environment = process.env,
): readonly { readonly rule: RecipientRule; readonly sink: AlertSink | MirrorSink }[] {
  // A policy without alerts did not ask for lines on stderr.
  const fallback = rules.declared ? warnings : undefined;
  return rules.recipients.map((rule) => ({ rule, sink: sinkOf(rule, env, fallback) }));
}

function sinkOf(
  rule: RecipientRule,
  env: Environment,
  fallback: AlertLogger | undefined,
): AlertSink | MirrorSink {
  switch (rule.kind) {
    case 'log':
      return new LogSink(rule.name, fallback);
    case 'webhook':
      return new WebhookSink(rule, { now: Date.now }, { env });
    case 'slack':
      return new SlackSink(rule, { env });
    case 'alertmanager':
      return new AlertmanagerSink(rule, { now: Date.now }, { env });
    default:
      return new LateA2aSink(rule, env);
  }
}

/** Loads A2A with its first notice, because most programs never send one. */
class LateA2aSink implements AlertSink {
  readonly name: string;
  readonly #rule: RecipientRule;
  readonly #env: Environment;
  #sink: Promise<AlertSink> | undefined;

  constructor(rule: RecipientRule, env: Environment) {
    this.name = rule.name;
    this.#rule = rule;
    this.#env = env;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    this.#sink ??= import('@plimsoll/adapters/a2a').then(
      ({ A2aSink }) => new A2aSink(this.#rule, { env: this.#env }),
    );
    await (await this.#sink).deliver(notice, signal);
  }
}
