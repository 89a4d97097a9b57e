// One node that answers without a model.
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ question: Annotation(), answer: Annotation() });

export const graph = new StateGraph(State)
  .addNode('reply', ({ question }) => ({ answer: `echo ${String(question)}` }))
  .addEdge('__start__', 'reply')
  .addEdge('reply', '__end__')
  .compile();
