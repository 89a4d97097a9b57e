export { plimsoll } from './ai.ts';
export { callSignal } from '@plimsoll/core/adapter';
