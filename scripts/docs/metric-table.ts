import { instruments, prometheusName } from '../../packages/plimsoll/src/server/metrics/instruments.ts';

/** Every metric by both of its names, with its labels. */
export function metricTable(): string {
  const rows = instruments.map((instrument) => {
    const { name, kind, help, labels } = instrument;
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${prometheusName(instrument)}\` | \`${name}\` | ${kind} | ${shown} | ${help}. |`;
  });
  return ['| Prometheus | OpenTelemetry | kind | labels | meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
