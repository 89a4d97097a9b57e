import { failure } from '@plimsoll/core/internal/errors';
import type { Io } from '../io.ts';

export function parsePort(value: string, option: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 65_535) return number;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a port from 0 to 65535' });
}

/** The collector's address, from an option or from OpenTelemetry's own variables. */
export function otlpOf(option: string | undefined, { env }: Pick<Io, 'env'>): string | undefined {
  const value =
    option ?? env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (value === '') return undefined;
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  const accepted = 'an address such as http://localhost:4318';
  throw failure('PLM_CLI_BAD_OPTION', { option: '--otlp', value, accepted });
}
