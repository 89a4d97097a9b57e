import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Sources } from '../sources.ts';
import { factsOf } from './facts.ts';
import type { Facts } from './facts.ts';
import { observeAll } from './instruments.ts';
import { SentEvents, otlpLogs } from './log-events.ts';
import { pairsOf, resourceAttributes, resourceOf } from './resource.ts';

interface OtlpOptions {
  readonly sources: Sources;
  /** Base address of the collector, such as http://localhost:4318; metrics go to `/v1/metrics` below it and events to `/v1/logs`. */
  readonly url: string;
  /** Default 15 s. */
  readonly intervalMs?: number;
  /** Called once when the collector stops accepting metrics, with the reason, and once when it accepts them again. */
  readonly onState?: (text: string) => void;
}

const defaultIntervalMs = 15_000;

/**
 * Sends the metrics of the newest running process to an OpenTelemetry collector until it is closed, and its findings, level changes and
 * actions as log events. An unreachable collector only delays them.
 */
export class OtlpExport implements AsyncDisposable {
  readonly #sources: Sources;
  readonly #intervalMs: number;
  readonly #url: string;
  readonly #onState: OtlpOptions['onState'];
  #provider: MeterProvider | undefined;
  #reader: PeriodicExportingMetricReader | undefined;
  #process = '';
  #facts: Facts | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #sent = new SentEvents();

  constructor(options: OtlpOptions) {
    this.#sources = options.sources;
    this.#intervalMs = options.intervalMs ?? defaultIntervalMs;
    this.#url = metricsUrl(options.url);
    this.#onState = options.onState;
    this.#timer = setInterval(() => void this.send(), this.#intervalMs).unref();
  }

  /** Reads the facts and sends them; resolves when the collector has answered or timed out. */
  async send(): Promise<void> {
    try {
      const source = await this.#sources.pick(undefined);
      if (source.run !== undefined) return;
      this.#facts = await factsOf(source, this.#sources);
      // The resource names the process. A restarted process is another resource.
      if (source.process.id !== this.#process) await this.#begin(source.process.id);
      await this.#reader?.forceFlush();
      await this.#sendEvents(this.#facts);
    } catch {
      // There is no process or no collector yet. The next turn tries again.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#end();
  }

  /** Events that the collector did not accept are sent again in the next turn. */
  async #sendEvents({ frame }: Facts): Promise<void> {
    const events = this.#sent.fresh(frame);
    if (events.length === 0) return;
    const answer = await fetch(logsUrl(this.#url), {
      method: 'POST',
      headers: { ...pairsOf(process.env['OTEL_EXPORTER_OTLP_HEADERS']), 'content-type': 'application/json' },
      body: JSON.stringify(otlpLogs(frame, events, resourceAttributes(frame))),
      signal: AbortSignal.timeout(5000),
    });
    await answer.body?.cancel();
    // A collector without a pipeline for logs answers 404. These events are not sent again, because every turn would fail.
    if (answer.ok || answer.status === 404) this.#sent.note(events);
  }

  async #begin(process: string): Promise<void> {
    await this.#end();
    this.#sent = new SentEvents();
    this.#process = process;
    this.#reader = new PeriodicExportingMetricReader({
      exporter: new HeardExporter(this.#url, (error) => this.#answered(error)),
      // This class triggers each export, so the reader's own timer only has to be very long.
      exportIntervalMillis: 86_400_000,
      exportTimeoutMillis: 5000,
    });
    this.#provider = new MeterProvider({ resource: resourceOf(this.#facts?.frame), readers: [this.#reader] });
    observeAll(this.#provider.getMeter('plimsoll'), () => this.#facts);
  }

  /** Logs only changes, so a collector that is unreachable for a day causes one line. */
  #answered(error: Error | undefined): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const reason = (error?.message || error?.name || 'no reason given').slice(0, 200);
    this.#onState?.(
      isFailing
        ? `${this.#url} does not accept metrics: ${reason}; they are sent again every ${this.#intervalMs / 1000} s`
        : `${this.#url} takes metrics again`,
    );
  }

  async #end(): Promise<void> {
    const provider = this.#provider;
    this.#provider = undefined;
    this.#reader = undefined;
    await provider?.shutdown().catch(() => undefined);
  }
}

/** An exporter that reports its result. OpenTelemetry itself only writes failures to its internal log. */
class HeardExporter extends OTLPMetricExporter {
  readonly #hear: (error: Error | undefined) => void;

  constructor(url: string, hear: (error: Error | undefined) => void) {
    super({ url, timeoutMillis: 5000 });
    this.#hear = hear;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      // 0 is success.
      const code: number = result.code;
      this.#hear(code === 0 ? undefined : (result.error ?? new Error('the export failed')));
      done(result);
    });
  }
}

/** Address for events, beside that of the metrics. */
export function logsUrl(metrics: string): string {
  return metrics.replace(/\/v1\/metrics$/, '/v1/logs');
}

/** Address for metrics of a collector. */
export function metricsUrl(base: string): string {
  const url = new URL(base);
  if (url.pathname.endsWith('/v1/metrics')) return url.href;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/metrics`;
  return url.href;
}
