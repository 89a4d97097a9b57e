const policy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src ${script}`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Content policy of the page: it may load only its own files. */
const pagePolicy = policy("'self'");
/** Content policy of workers. The one that reads snapshots compiles WebAssembly. */
export const workerPolicy = policy("'self' 'wasm-unsafe-eval'");

/** Headers of every answer. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
