/**
 * What mail servers answer to RCPT TO. `run`: recorded from the program, which mail-servers.system.spec.ts repeats where it can be
 * installed; `source`: its source has the text.
 */
export const serverAnswers = [
  {
    server: 'Postfix 3.7.11 (Debian 12, run)',
    why: 'the mailbox is unknown',
    answer:
      '550 5.1.1 <unknown@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
    verdict: 'unknown_address',
  },
  {
    server: 'Postfix 3.7.11 (Debian 12, run)',
    why: 'the sender has no mailbox (smtpd_reject_unlisted_sender)',
    answer:
      '550 5.1.0 <documents@example.com>: Sender address rejected: User unknown in virtual mailbox table',
    verdict: 'relay_denied',
  },
  {
    server: 'Postfix 3.7.11 (Debian 12, run)',
    why: 'the relay is refused',
    answer: '554 5.7.1 <buyer@elsewhere.example>: Relay access denied',
    verdict: 'relay_denied',
  },
  {
    server: 'OpenSMTPD 6.8.0p2 (Debian 12, run)',
    why: 'the relay is refused, or the mailbox is unknown',
    answer: '550 Invalid recipient: <buyer@elsewhere.example>',
    verdict: 'unknown_address',
  },
  {
    server: 'OpenSMTPD 6.8.0p2 (Debian 12, run)',
    why: 'a table of virtual mailboxes lacks it',
    answer: '524 5.2.4 Mailing list expansion problem: <unknown@example.com>',
    verdict: 'neither',
  },
  {
    server: 'Exim 4.96 (Debian 12, run)',
    why: 'the mailbox is unknown',
    answer: '550 Unrouteable address',
    verdict: 'unknown_address',
  },
  {
    server: 'Exim 4.96 (Debian 12, run)',
    why: 'the relay is refused',
    answer: '550 relay not permitted',
    verdict: 'relay_denied',
  },
  {
    server: 'Exim 4.96 (Debian 12, run)',
    why: 'the sender has no mailbox',
    answer:
      '550-Verification failed for <documents@example.com>\n550-Unrouteable address\n550 Sender verify failed',
    verdict: 'relay_denied',
  },
  {
    server: 'Haraka 3.3.4 (npm, run)',
    why: 'the relay is refused',
    answer: '550 I cannot deliver mail for <buyer@elsewhere.example>',
    verdict: 'unknown_address',
  },
  {
    server: 'Stalwart (source)',
    why: 'the relay is refused',
    answer: '550 5.1.2 Relay not allowed.',
    verdict: 'relay_denied',
  },
  {
    server: 'mox (source)',
    why: 'the relay is refused',
    answer: '550 5.1.1 not accepting email for domain',
    verdict: 'unknown_address',
  },
] as const;
