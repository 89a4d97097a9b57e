import type { Severity } from '../../../../packages/leak/src/findings/finding.ts';

/** In rising order. */
export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
