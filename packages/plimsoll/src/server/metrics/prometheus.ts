import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { RouteContext } from '../route.ts';
import type { Source } from '../source.ts';
import type { Sources } from '../sources.ts';
import { printable } from '../../screen/table.ts';
import { factsOf } from './facts.ts';
import type { Facts } from './facts.ts';
import { nameWithUnit, observeAll } from './instruments.ts';
import { resourceOf } from './resource.ts';

/** A reader that collects on demand. */
class ScrapeReader extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * The metrics of the process that a request names, in the text format of Prometheus. Without a process in the request it gets those of all
 * running processes. With several processes every row has the label `process_pid`.
 */
export async function prometheusText({
  source,
  sources,
  query,
}: Pick<RouteContext, 'source' | 'sources' | 'query'>): Promise<string> {
  const running = query('pid') === undefined ? sources.running() : [];
  if (running.length < 2) return metricsText(await newestFacts(await source(), sources));
  const facts = await Promise.allSettled(running.map((each) => newestFacts(each, sources)));
  const known = facts.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (known.length === 0) return metricsText(await newestFacts(await source(), sources));
  return metricsOfAll(known);
}

/** A suspended process sends no frame. Then the last entries of the ledger are used, and `plimsoll_sensor_age_seconds` shows their age. */
async function newestFacts(source: Source, sources: Sources): Promise<Facts> {
  try {
    return await factsOf(source, sources);
  } catch (error) {
    const recorded = await sources.recorded(source.process);
    if (recorded === undefined) throw error;
    return factsOf(recorded, sources);
  }
}

/** Metrics made from facts. Nothing is kept between scrapes. All counts come from the process and its ledger. */
export async function metricsText(facts: Facts): Promise<string> {
  return textOf(await collect(facts));
}

/** The metrics of several processes in one text: each name once, each row with the id of its process. */
export async function metricsOfAll(all: readonly Facts[]): Promise<string> {
  const collected = await Promise.all(all.map(async (facts) => ({ facts, metrics: await collect(facts) })));
  const byName = new Map<string, MetricData>();
  for (const { facts, metrics } of collected) {
    for (const metric of metrics.scopeMetrics.flatMap((scope) => scope.metrics)) {
      const known = byName.get(metric.descriptor.name);
      byName.set(metric.descriptor.name, {
        ...metric,
        dataPoints: [...(known?.dataPoints ?? []), ...labelled(metric, facts.frame.pid)],
      } as MetricData);
    }
  }
  const [scope] = collected[0]?.metrics.scopeMetrics ?? [];
  return textOf({
    resource: resourceOf(undefined),
    scopeMetrics: scope === undefined ? [] : [{ ...scope, metrics: [...byName.values()] }],
  });
}

function labelled({ dataPoints }: MetricData, pid: number): MetricData['dataPoints'] {
  return dataPoints.map((point) => ({
    ...point,
    attributes: { ...point.attributes, 'process.pid': pid },
  })) as MetricData['dataPoints'];
}

async function collect(facts: Facts): Promise<ResourceMetrics> {
  const reader = new ScrapeReader();
  const provider = new MeterProvider({ resource: resourceOf(facts.frame), readers: [reader] });
  try {
    observeAll(provider.getMeter('plimsoll'), () => facts);
    return (await reader.collect()).resourceMetrics;
  } finally {
    await provider.shutdown();
  }
}

function textOf(metrics: ResourceMetrics): string {
  const text = new PrometheusSerializer('', false, undefined, false, true).serialize(withUnits(metrics));
  // Names come from user code, and the serializer keeps their control characters, which would move the cursor of a terminal.
  return text.split('\n').map(printable).join('\n');
}

/** The same metrics with the unit in the name, in the form of Prometheus. The serializer only writes it as a comment. */
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
