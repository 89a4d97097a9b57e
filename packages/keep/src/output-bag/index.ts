export { OutputBag } from './output-bag.ts';
export type {
  OutputBagEvents,
  OutputBagOptions,
  OutputBagStats,
  PendingOutput,
  PutOptions,
} from './output-bag.ts';
