import { emptyRecipe, fieldOf, isObject, step } from './recipe.ts';
import type { Recipe, CallStep } from './recipe.ts';

const mostEntries = 500;
/** Headers that belong to a connection or a person and are not replayed. */
const dropped =
  /^(?::|host$|connection$|content-length$|accept-encoding$|cookie$|authorization$|origin$|referer$|sec-|user-agent$|if-)/i;

/** A recipe that repeats the requests of a browser: the entries of a HAR as one session, for the host of most of them. */
export function recipeFromHar(entries: readonly unknown[], file: string): Recipe {
  const requests = entries.slice(0, mostEntries).flatMap((entry) => {
    const url = fieldOf(entry, 'request.url');
    return typeof url === 'string' && URL.canParse(url) ? [{ entry, url: new URL(url) }] : [];
  });
  const counts = new Map<string, number>();
  for (const { url } of requests) counts.set(url.host, (counts.get(url.host) ?? 0) + 1);
  const [host] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const steps = requests.filter(({ url }) => url.host === host).map(({ entry, url }) => stepOf(entry, url));
  const others = requests.length - steps.length;
  return {
    ...emptyRecipe,
    source: file,
    sessions: steps.length === 0 ? [] : [{ name: 'as recorded', weight: 1, steps }],
    notTried: [
      ...(others === 0 ? [] : [`${others} recorded requests to other hosts.`]),
      ...(steps.some(({ method }) => method !== 'GET') ? [] : ['Nothing was recorded that changes state.']),
      'Cookies and credentials of the recording: they are left out. Give them as headers in a recipe.',
    ],
  };
}

function stepOf(entry: unknown, url: URL): CallStep {
  const headers = fieldOf(entry, 'request.headers');
  const text = fieldOf(entry, 'request.postData.text');
  const status = fieldOf(entry, 'response.status');
  const method = fieldOf(entry, 'request.method');
  const kept = (Array.isArray(headers) ? headers : []).flatMap((each: unknown) => {
    if (!isObject(each)) return [];
    const { name, value } = each;
    return typeof name === 'string' && typeof value === 'string' && !dropped.test(name)
      ? [[name.toLowerCase(), value] as const]
      : [];
  });
  return step(typeof method === 'string' ? method : 'GET', url.pathname + url.search, {
    headers: Object.fromEntries(kept),
    body: typeof text === 'string' ? text : undefined,
    statuses: typeof status === 'number' && status >= 400 ? [status] : [],
  });
}
