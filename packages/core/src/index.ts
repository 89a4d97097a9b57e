export { PlimsollError, isPlimsollError } from './errors.ts';
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './units/byte-size.ts';
export { formatDuration, parseDuration } from './units/duration.ts';
