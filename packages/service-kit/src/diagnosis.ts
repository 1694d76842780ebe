/** The checks that the parts of a service report to `pinkas doctor`. */
export {
  type CheckSource,
  checkPublicAddresses,
  Diagnosis,
  failure,
  isReservedName,
  notChecked,
  ok,
  warning,
  wrongInProduction,
} from './diagnosis/diagnosis.js';
export { diagnosisOperations } from './diagnosis/diagnosis-operations.js';
export { daysText, secondsText } from './diagnosis/quantities.js';
