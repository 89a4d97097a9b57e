import type { ActionName } from '../policy/actions.ts';
import type { ActionRunner } from './action.ts';
import { notify } from './notify.ts';

/** The code behind every action that a policy may name; an action declared without one does not compile. */
export const actionRunners: Readonly<Record<ActionName, ActionRunner>> = { notify };
