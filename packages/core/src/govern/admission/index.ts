export { shedPoints } from './shed-point.ts';
export type {
  AdmissionControl,
  AdmissionReading,
  AdmissionRow,
  AdmitOptions,
  Admitted,
  Clamp,
  GovernOptions,
  ShedPoint,
  ShedReason,
} from './shed-point.ts';
