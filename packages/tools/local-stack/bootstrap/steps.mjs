/**
 * Shows progress steps on standard error: one line each, with a spinner and a detail where there is a terminal.
 * The compiled local stack uses them through the interface `Steps`.
 */
const out = process.stderr;
const isTerminal = Boolean(out.isTTY) && process.env.TERM !== 'dumb';
const isColored = isTerminal && !process.env.NO_COLOR;
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** Without a terminal, a step prints what is being done as often as this. */
const printEveryMs = 15_000;
const nameWidth = 16;

const paint = (code, text) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
const dim = (text) => paint('2', text);

const shownErrors = new WeakSet();

/** Whether this error was already shown. */
export function wasShown(error) {
  return typeof error === 'object' && error !== null && shownErrors.has(error);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function truncate(text) {
  const width = (out.columns ?? 100) - 1;
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function showFailure(error) {
  const lines = [`    ${error instanceof Error ? error.message : String(error)}`];
  for (const line of error?.lines ?? []) {
    lines.push(dim(`    │ ${line}`));
  }
  if (error?.logFile) {
    lines.push(dim(`    log: ${error.logFile}`));
  }
  out.write(`${lines.join('\n')}\n`);
  if (typeof error === 'object' && error !== null) {
    shownErrors.add(error);
  }
}

/** Only one step runs at a time. */
export function createSteps() {
  let active = null;

  const clear = () => isTerminal && out.write('\r\u001b[2K');
  const draw = () => {
    if (active === null) {
      return;
    }
    const frame = spinner[Math.floor(performance.now() / frameMs) % spinner.length];
    const line = truncate(`  ${frame} ${active.name.padEnd(nameWidth)}${active.detail}`);
    out.write(`\r\u001b[2K${line}`);
  };
  const finish = (mark, step) => {
    clear();
    const time = seconds(step.since).padStart(8);
    out.write(
      `  ${mark} ${step.name.padEnd(nameWidth)}${dim(time)}${step.detail ? `  ${dim(step.detail)}` : ''}\n`,
    );
  };

  return {
    async run(name, work) {
      const step = { name, detail: '', since: performance.now() };
      active = step;
      const timer = isTerminal
        ? setInterval(draw, frameMs)
        : setInterval(() => {
            const time = seconds(step.since).padStart(8);
            out.write(`  … ${name.padEnd(nameWidth)}${time}${step.detail ? `  ${step.detail}` : ''}\n`);
          }, printEveryMs);
      timer.unref();
      if (isTerminal) {
        draw();
      }
      try {
        const value = await work((detail) => {
          step.detail = detail;
        });
        finish(paint('32', '✓'), step);
        return value;
      } catch (error) {
        step.detail = '';
        finish(paint('31', '✗'), step);
        if (!wasShown(error)) {
          showFailure(error);
        }
        throw error;
      } finally {
        clearInterval(timer);
        active = null;
      }
    },
    note(text) {
      clear();
      out.write(`  ${dim('·')} ${text}\n`);
    },
  };
}
