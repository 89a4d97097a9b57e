export { PolicyError, checkPolicy, parsePolicy } from './policy/parse.ts';
export type { PolicyCheck } from './policy/parse.ts';
export { policyJsonSchema } from './policy/json-schema.ts';
export { builtInPolicy } from './policy/built-in.ts';
export type { Policy } from './policy/policy.ts';
export { useAlertLogger } from './alert/sinks/log-sink.ts';
export { requestRestart } from '@plimsoll/core/internal/gate/drain-hooks';
