import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { RouteContext } from '../route.ts';
import { printable } from '../../screen/table.ts';
import { factsOf } from './facts.ts';
import type { Facts } from './facts.ts';
import { nameWithUnit, observeAll } from './instruments.ts';
import { resourceOf } from './resource.ts';

/** A reader that collects when asked. */
class ScrapeReader extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

/** The metrics of the process a request is about, in the text format of Prometheus. */
export async function prometheusText({
  source,
  sources,
}: Pick<RouteContext, 'source' | 'sources'>): Promise<string> {
  return metricsText(await factsOf(await source(), sources));
}

/** Metrics made from facts. Nothing is kept between scrapes: all counts come from the process and its ledger. */
export async function metricsText(facts: Facts): Promise<string> {
  const reader = new ScrapeReader();
  const provider = new MeterProvider({ resource: resourceOf(facts.frame), readers: [reader] });
  try {
    observeAll(provider.getMeter('plimsoll'), () => facts);
    const { resourceMetrics } = await reader.collect();
    const text = new PrometheusSerializer('', false, undefined, false, true).serialize(
      withUnits(resourceMetrics),
    );
    // Names come from user code; the serializer keeps their control characters, which would move a reader's cursor.
    return text.split('\n').map(printable).join('\n');
  } finally {
    await provider.shutdown();
  }
}

/** The same metrics with the unit in the name, as Prometheus has it: the serializer only comments on it. */
function withUnits(metrics: ResourceMetrics): ResourceMetrics {
  return {
    ...metrics,
    scopeMetrics: metrics.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.map((metric) => {
        const name = nameWithUnit(metric.descriptor.name, metric.descriptor.unit);
        return { ...metric, descriptor: { ...metric.descriptor, name, unit: '' } };
      }),
    })),
  };
}
