export {
  admission,
  admit,
  admitOrWait,
  isReady,
  isSelfCall,
  isUnderPressure,
  management,
  pressure,
  selfCallHeaders,
} from './admit.ts';
export { Admission } from './admission.ts';
export type { AdmissionOptions } from './admission.ts';
export { AdmitError, isAdmitError } from './admit-error.ts';
export type { Pressure } from './pressure.ts';
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
export type { WaitOptions } from './waiting-line.ts';
