export { WeakRegistry } from './weak-registry.ts';
export type {
  RegistrySuspect,
  WeakRegistryEvents,
  WeakRegistryOptions,
  WeakRegistryStats,
} from './weak-registry.ts';
