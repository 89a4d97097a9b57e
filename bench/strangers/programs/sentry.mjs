// What Sentry's guide says to load first; nothing is sent without a DSN.
import * as Sentry from '@sentry/node';

Sentry.init({ tracesSampleRate: 1 });
