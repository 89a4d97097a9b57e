import type { Severity } from '@plimsoll/host/protocol';

/** In rising order. */
export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
