declare module 'overload-protection' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** True when the request was refused and answered. */
  export type Protection = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

  export default function protect(
    framework: 'http',
    options: {
      readonly production?: boolean;
      readonly clientRetrySecs?: number;
      readonly maxEventLoopDelay?: number;
      readonly maxHeapUsedBytes?: number;
    },
  ): Protection;
}
