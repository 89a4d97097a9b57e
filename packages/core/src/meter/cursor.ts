import type { Walk } from './walk.ts';

/** The rest of a container too large for one step of a walk. */
export abstract class Cursor {
  abstract resume(walk: Walk): void;
}
