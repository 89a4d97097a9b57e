/** Preload that does what a prom-client user has: default metrics, and a scrape every five seconds. */
import { collectDefaultMetrics, register } from 'prom-client';

collectDefaultMetrics();
setInterval(() => void register.metrics(), 5000).unref();
