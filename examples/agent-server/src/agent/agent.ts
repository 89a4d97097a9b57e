/** An agent: a name, instructions and bounds. */
export interface Agent {
  readonly name: string;
  readonly system: string;
  /** Most model calls per turn. */
  readonly maxSteps: number;
  /** Looks up related material before the first model call. */
  readonly retrieves: boolean;
}

const agent = (name: string, system: string, retrieves: boolean): Agent => ({
  name,
  system,
  maxSteps: 6,
  retrieves,
});

/** Agents that users talk to. */
export const frontAgents: ReadonlyMap<string, Agent> = new Map(
  [
    agent('planner', 'Break the request down and delegate; answer from what comes back.', true),
    agent('analyst', 'Read the documents whole before you say anything about them.', false),
    agent('support', 'Answer shortly and kindly.', true),
  ].map((each) => [each.name, each]),
);

/** Agents that other agents delegate to. */
export const subAgents: ReadonlyMap<string, Agent> = new Map(
  [
    agent('researcher', 'Find facts and cite the documents.', false),
    agent('writer', 'Write clearly from the facts given.', false),
  ].map((each) => [each.name, each]),
);

/** Delegations deeper than this are refused; the refusal goes back to the model as the tool's result. */
export const maxDepth = 4;
