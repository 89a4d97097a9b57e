import { catalogue } from '@plimsoll/core/internal/errors';
import { catalogue as heapCatalogue } from '../packages/heap/src/errors.ts';

export interface Documented {
  readonly help: string;
  readonly text: (details: never) => {
    readonly message: string;
    readonly where: string;
    readonly fix: string;
  };
  readonly example: unknown;
}

/** The catalogues of all packages. */
export const allErrors: Readonly<Record<string, Documented>> = { ...catalogue, ...heapCatalogue };
