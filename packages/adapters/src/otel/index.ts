export { plimsoll } from './otel.ts';
export type { OtelOptions } from './otel.ts';
