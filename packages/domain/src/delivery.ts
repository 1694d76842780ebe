// Takes the place of the decision by rule, for the documents of both books.

export * from './delivery/delivery-decision.js';
export { addressesToCheck, decideDelivery, provokesFailure } from './test-mode/provoked-delivery.js';
export * from './text/phone-number.js';
