export * from './delivery-decision.js';
export * from './phone-number.js';
