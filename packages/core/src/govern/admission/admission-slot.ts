import { currentScope } from '../../scope/index.ts';
import { Admission } from './admission.ts';
import { SelfCall } from './self-call.ts';

/** What all copies of the package in one thread share; the first that is asked provides it. */
export interface AdmissionSlot {
  readonly admission: Admission;
  readonly selfCall: SelfCall;
}

const key = Symbol.for('plimsoll.admission.v1');
let own: AdmissionSlot | undefined;

/** The shed points of this thread. */
export function admissionSlot(): AdmissionSlot {
  return (own ??= sharedSlot());
}

function sharedSlot(): AdmissionSlot {
  const holder = globalThis as { [key]?: AdmissionSlot };
  if (holder[key] === undefined) {
    const value = { admission: new Admission({ isWithinRun }), selfCall: new SelfCall() };
    Object.defineProperty(holder, key, { value });
  }
  return holder[key] as AdmissionSlot;
}

/** True when the current scope is in a run that is open: what it starts belongs to a turn that was let in. */
function isWithinRun(): boolean {
  for (let at: ReturnType<typeof currentScope> | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'run') return at.state === 'open';
  return false;
}
