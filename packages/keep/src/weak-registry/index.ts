export { WeakRegistry } from './weak-registry.ts';
export type { Suspect, WeakRegistryEvents, WeakRegistryOptions, WeakRegistryStats } from './weak-registry.ts';
