import { RecencyList } from './recency-list.ts';

/** What one tenant holds in a cache; leased entries count too, but only the others are in its list. */
export class Tenant<V> {
  readonly name: string;
  bytes = 0;
  count = 0;
  /** Place in the heap of tenants. */
  index = -1;
  readonly list = new RecencyList<V>();

  constructor(name: string) {
    this.name = name;
  }
}
