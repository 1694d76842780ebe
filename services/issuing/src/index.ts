/** What the benchmark uses. A service is otherwise never imported. */
export { sumsOf } from './document/document-sums.repository.js';
