export { EventSink } from './event-sink.ts';
export type {
  BatchOptions,
  EventSinkEvents,
  EventSinkOptions,
  EventSinkStats,
  FullPolicy,
} from './event-sink.ts';
