import { type NatsUser, natsUsers, permissionsOf } from './permissions.js';

/** How long the server waits for the credentials of a new connection, in seconds: a busy machine may take some. */
const credentialsTimeoutSeconds = 10;
/** No question is open for longer (a document may take 30 s), so an answer that comes later is refused. */
const answerWithin = '60s';

/**
 * The part of nats-server's configuration that says who may connect, and what each may do there.
 * @param passwordOf what the file says in place of a password: a quoted string, a bcrypt hash in quotes, or `$NAME` for a
 * variable of the server's environment.
 */
export function natsAuthorization(passwordOf: (user: NatsUser) => string): string {
  return [
    '# Made from packages/contracts: who may say and hear what. Not to be changed by hand.',
    'authorization {',
    `  timeout: ${credentialsTimeoutSeconds}`,
    '  users: [',
    ...natsUsers.flatMap((user) => userBlock(user, passwordOf(user))),
    '  ]',
    '}',
    '',
  ].join('\n');
}

function userBlock(user: NatsUser, password: string): string[] {
  const { publish, subscribe, answers } = permissionsOf(user);
  return [
    '    {',
    `      user: ${user}`,
    `      password: ${password}`,
    '      permissions {',
    ...allowBlock('publish', publish),
    ...allowBlock('subscribe', subscribe),
    ...(answers ? [`        allow_responses { max: 1, expires: "${answerWithin}" }`] : []),
    '      }',
    '    }',
  ];
}

function allowBlock(verb: 'publish' | 'subscribe', subjects: readonly string[]): string[] {
  return [
    `        ${verb} {`,
    '          allow: [',
    ...subjects.map((subject) => `            ${JSON.stringify(subject)}`),
    '          ]',
    '        }',
  ];
}

/** What the deployed NATS includes; it finds the passwords in its environment, as `NATS_PASSWORD_ISSUING` and so on. */
export function deployedNatsUsers(): string {
  return natsAuthorization((user) => `$NATS_PASSWORD_${user.toUpperCase()}`);
}
