import { signal } from '@preact/signals';

/** A page with its query. */
interface Route {
  readonly page: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads `#/scope?path=process%2Fagent`. Unknown addresses lead to the overview. */
export function parseRoute(hash: string): Route {
  const match = /^#\/([a-z]*)(?:\?(.*))?$/.exec(hash);
  return {
    page: match?.[1] === undefined || match[1] === '' ? 'overview' : match[1],
    query: Object.fromEntries(new URLSearchParams(match?.[2] ?? '')),
  };
}

/** The address of a page. */
export function linkTo(page: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${page === 'overview' ? '' : page}${search === '' ? '' : `?${search}`}`;
}

export const route = signal<Route>({ page: 'overview', query: {} });

export function watchRoute(): void {
  const read = (): void => {
    route.value = parseRoute(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}
