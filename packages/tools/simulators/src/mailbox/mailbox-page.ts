import { escapeHtml } from '@pinkas/ui';
import type { Message } from './message-folder.js';

/**
 * What pages of the mailbox may load: nothing but their own style and pictures inside the mail, so that a mail on show can
 * neither run scripts nor report that it was opened.
 */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'";

/** How many messages the list shows. */
const listedMax = 200;

/** The page that lists messages, newest first. */
export function listPage(messages: readonly Message[]): string {
  const rows = messages.slice(0, listedMax).map(
    (message) => `<li><a href="/mail/${escapeHtml(message.id)}">
<span class="subject" dir="auto">${escapeHtml(message.subject) || '(no subject)'}</span>
<span class="people"><bdi>${escapeHtml(message.from)}</bdi> → <bdi>${escapeHtml(message.to.join(', '))}</bdi></span>
<span class="when"><time datetime="${message.at}">${when(message.at)}</time>${clips(message)}</span></a></li>`,
  );
  const more =
    messages.length > listedMax ? `<p class="quiet">and ${messages.length - listedMax} older ones</p>` : '';
  const body =
    rows.length === 0
      ? '<p class="quiet">No mail yet. Whatever the system sends arrives here, and goes no further.</p>'
      : `<ul>${rows.join('\n')}</ul>${more}`;
  return page(
    'Mailbox',
    `<h1>Mailbox <small>${messages.length}</small></h1>${body}`,
    '<meta http-equiv="refresh" content="5">',
  );
}

/** The page that shows one message. The mail's own HTML is in a frame without any permission. */
export function messagePage(message: Message): string {
  const attachments = message.attachments.map(
    ({ filename, contentType, size }, n) =>
      `<li><a href="/messages/${escapeHtml(message.id)}/attachments/${n}" dir="auto">${escapeHtml(filename)}</a> <span class="quiet">${escapeHtml(contentType)}, ${kilobytes(size)}</span></li>`,
  );
  const body =
    message.html !== null
      ? `<iframe sandbox title="The mail" srcdoc="${escapeHtml(message.html)}"></iframe>`
      : `<pre dir="auto">${escapeHtml(message.text ?? '')}</pre>`;
  return page(
    message.subject || '(no subject)',
    `<p><a href="/">← Mailbox</a></p>
<h1 dir="auto">${escapeHtml(message.subject) || '(no subject)'}</h1>
<dl><dt>From</dt><dd><bdi>${escapeHtml(message.from)}</bdi></dd>
<dt>To</dt><dd>${message.to.map((address) => `<bdi>${escapeHtml(address)}</bdi>`).join(', ')}</dd>
<dt>Received</dt><dd><time datetime="${message.at}">${when(message.at)}</time></dd>
<dt>Message-ID</dt><dd><bdi>${escapeHtml(message.message_id ?? 'none')}</bdi></dd></dl>
${attachments.length > 0 ? `<ul class="attachments">${attachments.join('')}</ul>` : ''}
${body}
<p class="quiet"><a href="/messages/${escapeHtml(message.id)}">as JSON</a> · <a href="/messages/${escapeHtml(message.id)}/raw">as it came</a></p>`,
  );
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}
<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>${body}</main></body></html>`;
}

const style = `
:root { color-scheme: light dark; --line: #8884; --quiet: #777; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; } h1 small, .quiet { color: var(--quiet); font-weight: 400; }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); } li > a:not([dir]) { display: grid; gap: 0 1rem; padding: .6rem .3rem;
  grid-template-columns: 1fr auto; color: inherit; text-decoration: none; }
li > a:hover { background: #8881; }
.subject { font-weight: 600; justify-self: start; } .people { grid-row: 2; color: var(--quiet); }
.when { color: var(--quiet); white-space: nowrap; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.attachments { margin-bottom: 1rem; } .attachments li { padding: .4rem .3rem; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); background: #fff; }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: 1rem; text-align: start; }`;

function clips(message: Message): string {
  return message.attachments.length > 0
    ? ` · ${message.attachments.length} file${message.attachments.length > 1 ? 's' : ''}`
    : '';
}

function when(at: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: 'Asia/Jerusalem',
  }).format(new Date(at));
}

function kilobytes(size: number): string {
  return size < 1024 ? `${size} bytes` : `${(size / 1024).toFixed(1)} KB`;
}
