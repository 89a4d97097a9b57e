export { plimsoll } from './otel.ts';
