export { mix, readableOn } from './colour.js';
export { defaultAccent, figuresToken, footInk, pageTokens, printTokens } from './design-tokens.js';
export { directions } from './direction.js';
export * from './figures.js';
export { type Language, languages } from './language.js';
export { html, type Insert, inDirection, isolate, join, leftToRight, Markup, plainText } from './markup.js';
export { type PaymentDetails, paymentDetails, paymentMethodName } from './payments.js';
