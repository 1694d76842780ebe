/** The verification of a book, for the operator's command and for the daily check of the console. */
export {
  type BookMark,
  type BookPart,
  BusinessVerification,
  findingsMax,
  type VerificationResult,
} from './verify/business-verification.js';
export { checkChains, followTrail, trailPages } from './verify/check-chains.js';
export { type Check, checks, type Finding } from './verify/checks.js';
export { DeadLetteredWork } from './verify/dead-lettered-work.js';
export {
  type ChainRecord,
  type CompareChain,
  chainName,
  ExactComparison,
  type ExpectedHead,
  type Heads,
  type HeadsComparison,
  StatedChain,
  SumComparison,
} from './verify/heads-comparison.js';
export { allOf, pagesOf } from './verify/pages-of.js';
