/**
 * Shows how far a run is: the files done of all, the seconds, and each failure when it happens. A terminal has one line that changes;
 * a log gets a line every 15 s.
 */
const out = process.stderr;
const isTerminal = Boolean(out.isTTY) && process.env.TERM !== 'dumb';
const logEveryMs = 15_000;

export default class ProgressReporter {
  #begun = performance.now();
  #shown = performance.now();
  #failedNames = [];

  onRunStart({ numTotalTestSuites }) {
    this.#begun = performance.now();
    this.#show({
      numTotalTestSuites,
      numPassedTestSuites: 0,
      numFailedTestSuites: 0,
      numPendingTestSuites: 0,
    });
  }

  onTestResult(_test, { failureMessage, testFilePath, testResults, testExecError }, total) {
    if (failureMessage) {
      this.#clear();
      out.write(`\n  FAILED ${testFilePath}\n${failureMessage.trimEnd()}\n\n`);
      const failed = testResults.filter(({ status }) => status === 'failed');
      this.#failedNames.push(...failed.map(({ fullName }) => `${testFilePath}: ${fullName}`));
      if (testExecError) {
        this.#failedNames.push(`${testFilePath}: the file could not be run`);
      }
    }
    this.#show(total);
  }

  onRunComplete() {
    this.#clear();
    if (this.#failedNames.length > 0) {
      out.write(`\n  failed:\n${this.#failedNames.map((name) => `    ${name}\n`).join('')}`);
    }
  }

  #clear() {
    if (isTerminal) {
      out.write('\r\u001b[2K');
    }
  }

  #show(total) {
    const now = performance.now();
    const failed = total.numFailedTestSuites;
    const done = total.numPassedTestSuites + failed + total.numPendingTestSuites;
    const seconds = Math.round((now - this.#begun) / 1000);
    const line = `  ${done} of ${total.numTotalTestSuites} files, ${seconds} s${failed > 0 ? `, ${failed} failed` : ''}`;
    if (isTerminal) {
      this.#clear();
      out.write(line);
    } else if (now - this.#shown >= logEveryMs) {
      this.#shown = now;
      out.write(`${line}\n`);
    }
  }
}
