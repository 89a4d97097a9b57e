import type { Severity } from '../../../../packages/core/src/detect/finding.ts';

/** In rising order. */
export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
