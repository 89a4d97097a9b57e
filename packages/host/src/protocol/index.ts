export type * from './api.ts';
export { ask } from './control.ts';
export { isAlive, liveDescriptors, socketPath } from './descriptor.ts';
export { parseFrame, watchFeed } from './feed-client.ts';
export { takeLastFrame } from './last-frame.ts';
