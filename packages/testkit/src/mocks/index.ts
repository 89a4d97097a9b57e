/** Models and tools for tests that record nothing. The mocks of the frameworks themselves keep every call with its prompt. */
export { agentsModel } from './agents-model.ts';
export { aiModel, mastraModel } from './ai-model.ts';
export { chatModel } from './chat-model.ts';
export { mockTool } from './script.ts';
export type { MockOptions } from './script.ts';
