const slot = 'plimsoll.token';

/** The token out of an address's fragment, as the server prints it: `#token=...`, alone or beside a page. */
export function tokenIn(hash: string): string | undefined {
  return /[#&?]token=([^&]+)/.exec(hash)?.[1];
}

/** Takes the token out of the address, so that it is neither in the history nor in what is shared, and keeps it for this tab. */
export function takeToken(): void {
  const token = tokenIn(location.hash);
  if (token === undefined) return;
  sessionStorage.setItem(slot, decodeURIComponent(token));
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
}

export function token(): string | null {
  return sessionStorage.getItem(slot);
}

export function setToken(value: string): void {
  if (value === '') sessionStorage.removeItem(slot);
  else sessionStorage.setItem(slot, value);
}
