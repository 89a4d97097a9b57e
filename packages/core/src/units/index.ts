export { formatByteSize, formatUsedOfLimit, parseByteSize } from './byte-size.ts';
export { formatDuration, parseDuration } from './duration.ts';
