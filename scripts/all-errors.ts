import { catalogue } from '@plimsoll/core/errors';

/** The catalogues of all packages. */
export const allErrors = { ...catalogue };
