const slot = 'plimsoll.token';

/** The token in an address's fragment, as the server prints it: `#token=...`, alone or with a page. */
export function tokenIn(hash: string): string | undefined {
  return /[#&?]token=([^&]+)/.exec(hash)?.[1];
}

/** Moves the token from the address into this tab, so that it is neither in the history nor in a shared link. */
export function takeToken(): void {
  const token = tokenIn(location.hash);
  if (token === undefined) return;
  sessionStorage.setItem(slot, decodeURIComponent(token));
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
}

/** The one-time link in an address's fragment: `#link=...`. */
function linkIn(hash: string): string | undefined {
  return /[#&?]link=([\w-]+)/.exec(hash)?.[1];
}

/** Exchanges a one-time link for the token of this tab. A link that was used leaves the page without one. */
export async function takeLink(): Promise<void> {
  const link = linkIn(location.hash);
  if (link === undefined) return;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  try {
    const response = await fetch('/api/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link }),
    });
    if (!response.ok) return;
    const answer = (await response.json()) as { token: string };
    setToken(answer.token);
  } catch {
    // The server cannot be reached, which the page shows.
  }
}

export function token(): string | null {
  return sessionStorage.getItem(slot);
}

export function setToken(value: string): void {
  if (value === '') sessionStorage.removeItem(slot);
  else sessionStorage.setItem(slot, value);
}
