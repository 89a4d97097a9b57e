export { create } from './adapter.mjs';
