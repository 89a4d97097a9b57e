import type { ActionName } from '../policy/actions.ts';
import type { Action, ActionOf } from './action.ts';
import { admitRefuse } from './actions/admit-refuse.ts';
import { admitThrottle } from './actions/admit-throttle.ts';
import { cacheDrop } from './actions/cache-drop.ts';
import { conversationCompact } from './actions/conversation-compact.ts';
import { delegationClamp } from './actions/delegation-clamp.ts';
import { evidence } from './actions/evidence.ts';
import { gcRequest } from './actions/gc-request.ts';
import { hint } from './actions/hint.ts';
import { keepersShrink } from './actions/keepers-shrink.ts';
import { notify } from './actions/notify.ts';
import { processRestart } from './actions/process-restart.ts';
import { replayTrim } from './actions/replay-trim.ts';
import { scopeStop } from './actions/scope-stop.ts';
import { sessionPark } from './actions/session-park.ts';
import { signalFast } from './actions/signal-fast.ts';
import { timeoutsScale } from './actions/timeouts-scale.ts';

/** The code behind every action that a policy may name; an action declared without one does not compile. */
const runners: { readonly [Name in ActionName]: ActionOf<Name> } = {
  'signal.fast': signalFast,
  notify,
  hint,
  'timeouts.scale': timeoutsScale,
  'keepers.shrink': keepersShrink,
  'cache.drop': cacheDrop,
  'replay.trim': replayTrim,
  'conversation.compact': conversationCompact,
  'gc.request': gcRequest,
  'session.park': sessionPark,
  'delegation.clamp': delegationClamp,
  'admit.throttle': admitThrottle,
  'admit.refuse': admitRefuse,
  evidence,
  'scope.stop': scopeStop,
  'process.restart': processRestart,
};

/** The runner of an action; its options were read by the same declaration, so their types fit. */
export function runnerOf(action: string): Action | undefined {
  return Object.hasOwn(runners, action) ? (runners[action as ActionName] as Action) : undefined;
}
