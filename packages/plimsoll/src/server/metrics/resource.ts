import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { version } from '@plimsoll/core/internal/version';

/** Who the metrics are about, by OpenTelemetry's names. */
export function resourceOf(
  frame: Pick<Frame, 'pid' | 'target' | 'node'> | undefined,
): ReturnType<typeof resourceFromAttributes> {
  const { env } = process;
  return resourceFromAttributes({
    'service.name': env['OTEL_SERVICE_NAME'] ?? frame?.target ?? 'plimsoll',
    'telemetry.distro.name': 'plimsoll',
    'telemetry.distro.version': version,
    ...(frame === undefined
      ? {}
      : {
          'process.pid': frame.pid,
          'process.runtime.name': 'nodejs',
          'process.runtime.version': frame.node,
        }),
  });
}
