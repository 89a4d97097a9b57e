export { shedPoints } from './shed-point.ts';
export type {
  AdmissionControl,
  AdmissionReading,
  AdmissionRow,
  AdmitOptions,
  Admitted,
  ClampOrder,
  RefuseOrder,
  RetryAfter,
  ShedPoint,
  ThrottleOrder,
} from './shed-point.ts';
