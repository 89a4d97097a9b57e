export { plimsoll } from './http.ts';
export type { HttpOptions } from './http.ts';
