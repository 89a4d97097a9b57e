import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isPrivateAddress, publicLookup, refusePrivateHost } from './address-guard.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { guardedRequest } from './guarded-request.ts';
import { WebServer } from './web-server.fixture.ts';

test.each([
  '127.0.0.1',
  '127.255.255.255',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::a00:1',
  '2002:7f00:1::',
  '2001:db8::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '[::1]',
  'nonsense',
])('%s is not public', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is public',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  },
);

test('a host that is a name is judged when it is looked up', () => {
  expect(() => refusePrivateHost('example.com')).not.toThrow();
  expect(() => refusePrivateHost('[::1]')).toThrow('::1 is the private address ::1, which is refused.');
});

describe('looking up', () => {
  /** Answers as a name server under somebody else's control would. */
  const naming = (...addresses: string[]): LookupFunction =>
    ((_host: string, _options: object, callback: (error: Error | null, found: object[]) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as LookupFunction;
  const ask = (lookup: LookupFunction, all: boolean) =>
    new Promise((resolve) =>
      publicLookup(lookup)('evil.example', { all }, ((error: Error | null, address: unknown) =>
        resolve(error?.message ?? address)) as Parameters<LookupFunction>[2]),
    );

  test('a name with one private address among public ones is refused', async () => {
    expect(await ask(naming('1.1.1.1', '10.0.0.7'), true)).toBe(
      'evil.example is the private address 10.0.0.7, which is refused.',
    );
    expect(await ask(naming(), true)).toBe('evil.example is the private address none, which is refused.');
  });

  test('a public name keeps its addresses, in either form', async () => {
    expect(await ask(naming('1.1.1.1', '2606:4700::1111'), true)).toHaveLength(2);
    expect(await ask(naming('1.1.1.1'), false)).toBe('1.1.1.1');
  });

  test('an error of the resolver is passed on', async () => {
    const broken = ((_host: string, _options: object, callback: (error: Error) => void) =>
      callback(new Error('ENOTFOUND'))) as unknown as LookupFunction;
    expect(await ask(broken, true)).toBe('ENOTFOUND');
  });

  test('a name that answers with this machine reaches nothing', async () => {
    const server = await WebServer.start();
    const { port } = new URL(server.url);
    const options = { signal: AbortSignal.timeout(2000), mostBytes: 0, lookup: naming('127.0.0.1') };
    const url = new URL(`http://evil.example:${port}/`);
    await expect(guardedRequest(url, { ...options, allowPrivate: false })).rejects.toMatchObject({
      code: 'PLM_ALERT_ADDRESS',
    });
    expect(server.connections).toBe(0);
    expect((await guardedRequest(url, { ...options, allowPrivate: true })).status).toBe(204);
    await expect(
      guardedRequest(new URL('ftp://example.com/'), { ...options, allowPrivate: false }),
    ).rejects.toThrow('ftp: are not supported');
    server.close();
  });
});

describe('fetch for libraries', () => {
  test('sends and reads as fetch does, and gives the token to its own origin only', async () => {
    const server = await WebServer.start();
    const other = await WebServer.start();
    server.answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
    const fetchIt = guardedFetch({
      allowPrivate: true,
      timeoutMs: 2000,
      bearer: { origin: server.url, token: () => Promise.resolve('s3cret') },
    });
    const answer = await fetchIt(`${server.url}/x`, {
      method: 'PUT',
      body: 'hello',
      headers: { 'x-a': 'b' },
    });
    expect([answer.status, await answer.json()]).toEqual([200, { a: 1 }]);
    expect(server.received[0]).toMatchObject({
      path: '/x',
      body: 'hello',
      headers: { 'x-a': 'b', authorization: 'Bearer s3cret' },
    });
    expect((await fetchIt(new URL(other.url))).status).toBe(204);
    expect(other.received[0]?.headers.authorization).toBeUndefined();
    server.answer = (response) => response.writeHead(302, { location: other.url }).end('moved');
    expect((await fetchIt(server.url)).status).toBe(302);
    expect(other.connections).toBe(1);
    server.close();
    other.close();
  });

  test('long answers and silence are errors', async () => {
    const server = await WebServer.start();
    server.answer = (response) => response.writeHead(200).end('x'.repeat(2000));
    const fetchIt = guardedFetch({ allowPrivate: true, timeoutMs: 100, mostBytes: 1000 });
    await expect(fetchIt(server.url)).rejects.toMatchObject({ code: 'PLM_ALERT_ANSWER_TOO_LONG' });
    server.answer = () => undefined;
    await expect(fetchIt(server.url)).rejects.toThrow('timeout');
    server.close();
  });
});
