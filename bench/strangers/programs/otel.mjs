// What OpenTelemetry's guide says to load first; spans go nowhere.
import { getNodeAutoInstrumentations } from '@opentelemetry/auto-instrumentations-node';
import { NodeSDK } from '@opentelemetry/sdk-node';

new NodeSDK({
  instrumentations: [getNodeAutoInstrumentations()],
  spanProcessors: [],
  metricReaders: [],
}).start();
