export { type ButtonKind, button, linkButton } from './buttons.js';
export { type BarPair, barChart } from './chart.js';
export { mix, readableOn } from './color.js';
export { defaultAccent, figuresToken, footInk, pageTokens, printTokens } from './design-tokens.js';
export { directions } from './direction.js';
export { escapeHtml } from './escape-html.js';
export { type FieldErrors, type FieldRule, fieldErrors } from './field-errors.js';
export * from './figures.js';
export * from './form.js';
export {
  type FieldKind,
  lengthErrors,
  numberError,
  readField,
  readMoney,
  readNumber,
} from './form-values.js';
export { type Language, languages, type Words } from './language.js';
export { mark } from './mark.js';
export {
  attributes,
  compact,
  html,
  type Insert,
  inDirection,
  isolate,
  join,
  leftToRight,
  Markup,
  plainText,
} from './markup.js';
export * from './message.js';
export * from './page.js';
export { bankFacts, paymentInstructionWords } from './payment-instructions.js';
export { type PaymentDetails, paymentDetails, paymentMethodName } from './payments.js';
export { type Column, table } from './table.js';
export { totalWords, withheldWords } from './total-words.js';
