import { endpointsMax } from '../http/events.js';

/** The check of a signature without a library, by language; the tests run them where the language is installed. */
export const signatureChecks = {
  js: `\
import { createHmac, timingSafeEqual } from 'node:crypto';

/** body: the bytes as they arrived. headers: names in lower case, as Node has them. secret: whsec_… */
export function isGenuine(body, headers, secret) {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) throw new Error('there is no secret');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  python: `\
import base64, hashlib, hmac, time

def is_genuine(body: bytes, headers: dict, secret: str) -> bool:
    """headers: names in lower case. secret: whsec_..."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= 300):
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("there is no secret")
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)
`,
  php: `\
<?php
// $body: file_get_contents('php://input'). $headers: names in lower case,
// array_change_key_case(getallheaders()). $secret: whsec_…
function is_genuine(string $body, array $headers, string $secret): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    if ($key === '') {
        throw new InvalidArgumentException('there is no secret');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}
`,
} as const;

const names: Readonly<Record<keyof typeof signatureChecks, string>> = {
  js: 'Node',
  python: 'Python',
  php: 'PHP',
};

const checks = (Object.keys(signatureChecks) as (keyof typeof signatureChecks)[])
  .map((language) => `**${names[language]}**\n\n\`\`\`${language}\n${signatureChecks[language]}\`\`\``)
  .join('\n\n');

/** What a receiver of webhooks must know, as Markdown: the description of their tag. */
export const webhooksChapter = `\
A webhook is a \`POST\` of one event to an endpoint of the business, as soon as it happened. The same events are in the list,
\`GET /events\`, which misses nothing: read it from the last cursor whenever a webhook comes, and every few minutes.

**Endpoints.** The owner enters the address of the receiver in the console and copies its secret, \`whsec_…\`, which is shown once; the
operator has \`pinkas webhook create URL --business ID\`. A book has at most ${endpointsMax} endpoints; the test book has its own. An endpoint
gets all types of event, or those that were chosen. Its address is https, at port 443 or from 1024 up, and public; redirects are not
followed. A rotated secret and the one before it both sign for 24 hours.

**Headers.** As of [Standard Webhooks](https://www.standardwebhooks.com), for which there is a library in most languages:

- \`webhook-id\`: the \`id\` of the event, the same in every attempt;
- \`webhook-timestamp\`: when this attempt was sent, in seconds since 1970;
- \`webhook-signature\`: \`v1,\` and the signature; two with a blank between them while a secret is rotated;
- \`content-type\`: \`application/json\`.

**Signature.** HMAC-SHA256 over \`webhook-id\`, a period, \`webhook-timestamp\`, a period and the body as it arrived, in base64. The key
is the base64 after \`whsec_\`. Check it before you parse the body, compare in constant time, and reject a timestamp that is more than
five minutes off.

${checks}

**Answer** 2xx within 10 seconds, then work on the event. Store it under its \`id\` first: it may come twice, and in another order.
Ignore types and members that you do not know.

**Retries.** Anything else than 2xx is sent again after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. \`410\` ends it: the
endpoint is disabled. One that only fails for five days is disabled as well, and the owner gets an email after a day and then. When it is
enabled again, \`pinkas webhook resend\` sends what was missed; the list has it in any case.

**Types.** Each is below, with its example.
`;
