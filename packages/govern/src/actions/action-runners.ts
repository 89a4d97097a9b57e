import type { ActionName } from '../policy/actions.ts';
import type { Action, ActionOf } from './action.ts';
import { admitRefuse } from './admit-refuse.ts';
import { admitThrottle } from './admit-throttle.ts';
import { cacheDrop } from './cache-drop.ts';
import { conversationCompact } from './conversation-compact.ts';
import { delegationClamp } from './delegation-clamp.ts';
import { evidence } from './evidence.ts';
import { gcRequest } from './gc-request.ts';
import { hint } from './hint.ts';
import { keepersShrink } from './keepers-shrink.ts';
import { notify } from './notify.ts';
import { processRestart } from './process-restart.ts';
import { replayTrim } from './replay-trim.ts';
import { scopeQuarantine } from './scope-quarantine.ts';
import { scopeStop } from './scope-stop.ts';
import { sessionPark } from './session-park.ts';
import { signalFast } from './signal-fast.ts';
import { timeoutsScale } from './timeouts-scale.ts';

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
  'scope.quarantine': scopeQuarantine,
  'scope.stop': scopeStop,
  'process.restart': processRestart,
};

/** The runner of an action. Its types fit, because the same declaration read the options. */
export function runnerOf(action: string): Action | undefined {
  return Object.hasOwn(runners, action) ? (runners[action as ActionName] as Action) : undefined;
}
