import { TestEnvironment } from 'jest-environment-node';

// Freeing the modules of all files that a worker has loaded takes up to a second, and Jest kills a worker after half of one. The
// event comes when nothing is open any more; `exit` ends at once from here. Jest's own process has no channel to a parent: it sets its
// exit code in a listener that comes later.
if (process.env.JEST_WORKER_ID && process.send) {
  process.once('exit', (code) => process.exit(code));
}

/** Node's environment, in a worker that ends in time. */
export default TestEnvironment;
