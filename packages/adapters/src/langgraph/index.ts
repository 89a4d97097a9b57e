export { plimsoll } from './langgraph.ts';
