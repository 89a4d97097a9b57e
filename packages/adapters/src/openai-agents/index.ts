export { plimsoll } from './openai-agents.ts';
