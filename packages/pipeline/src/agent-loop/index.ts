export { agentCycle } from './agent-cycle.ts';
export type { AgentCycle, AgentCycleOptions, AgentHooks } from './agent-cycle.ts';
export { FileHandleGuard } from './file-handles.ts';
export { MessageSizeValidator } from './message-size.ts';
export { StaleRequestPurger } from './stale-requests.ts';
