import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { version } from '@plimsoll/core/internal/version';

type Subject = Pick<Frame, 'pid' | 'target' | 'node'> | undefined;

/** The resource of the metrics. */
export function resourceOf(frame: Subject): ReturnType<typeof resourceFromAttributes> {
  return resourceFromAttributes(resourceAttributes(frame));
}

/** The attributes of a resource by OpenTelemetry's names; including those of OTEL_RESOURCE_ATTRIBUTES. */
export function resourceAttributes(
  frame: Subject,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | number> {
  const given = pairsOf(env['OTEL_RESOURCE_ATTRIBUTES']);
  return {
    ...given,
    'service.name': env['OTEL_SERVICE_NAME'] ?? given['service.name'] ?? frame?.target ?? 'plimsoll',
    'telemetry.distro.name': 'plimsoll',
    'telemetry.distro.version': version,
    ...(frame === undefined
      ? {}
      : {
          'process.pid': frame.pid,
          'process.runtime.name': 'nodejs',
          'process.runtime.version': frame.node,
        }),
  };
}

/** Reads `key=value,key=value` with percent-encoded values, as OpenTelemetry writes it. A pair that cannot be read is left out. */
export function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at < 1 || key === '') return [];
    try {
      return [[key, decodeURIComponent(pair.slice(at + 1).trim())]];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(pairs);
}
