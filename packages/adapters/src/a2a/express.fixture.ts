import type { IncomingMessage, ServerResponse } from 'node:http';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The little of Express that the tests use; the package brings no types. */
interface ExpressApp {
  (request: IncomingMessage, response: ServerResponse): void;
  use(middleware: unknown): void;
  use(path: string, middleware: unknown): void;
  get(path: string, middleware: Middleware): void;
}

const { default: express } = (await import('express' as string)) as {
  default: (() => ExpressApp) & { json(): Middleware };
};
export { express };
