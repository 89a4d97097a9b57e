import { DelegationBreaker } from './delegation-breaker.ts';
import type { DelegationDenied } from './events.ts';
import type { DelegationBreakerOptions } from './settings.ts';

export const refused = (options: object): string => {
  try {
    return new DelegationBreaker(options as DelegationBreakerOptions).name;
  } catch (error) {
    return String(error);
  }
};

export const denial = (run: Promise<unknown>): Promise<DelegationDenied> =>
  run.then(
    () => {
      throw new Error('it was admitted');
    },
    (error: unknown) => error as DelegationDenied,
  );

export const hang = (): Promise<never> => new Promise(() => {});
