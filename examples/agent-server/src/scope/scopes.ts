import { open } from '@plimsoll/core';
import type { OpenOptions } from '@plimsoll/core';
import type { OpenScope } from './agent-scope.ts';
import { openPlain } from './plain-scope.ts';

/** Opens a Plimsoll scope. Whether a governor runs in this process makes no difference here. */
const openGoverned: OpenScope = (kind, name, options) => open(kind, name, options as OpenOptions);

/** Opens Plimsoll scopes, or plain ones with `--ungoverned` for comparison. */
export function scopeOpener(ungoverned: boolean): OpenScope {
  return ungoverned ? openPlain : openGoverned;
}
