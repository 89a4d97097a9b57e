import type { Session } from 'node:inspector';
import { slots } from './slots.ts';

/**
 * The inspector session of this thread; undefined where there is no inspector or it is not permitted. It stays connected: when any session
 * ends, V8 numbers the objects of the next heap snapshot anew, and that one cannot be compared with an earlier one any more.
 */
export function inspectorSession(): Session | undefined {
  const shared = slots();
  shared.inspector ??= connected();
  return shared.inspector;
}

/** Ends V8's numbers of objects. From the first snapshot on it follows every object that moves, which takes memory and makes collections slower. */
export function forgetObjectIds(): void {
  connected()?.disconnect();
}

function connected(): Session | undefined {
  if (!process.features.inspector) return undefined;
  try {
    const inspector = process.getBuiltinModule('node:inspector');
    const session = new inspector.Session();
    session.connect();
    return session;
  } catch {
    // The permission model refuses it.
    return undefined;
  }
}
