import { type NatsUser, natsUsers, permissionsOf } from './permissions.js';

/** How long the server waits for the credentials of a new connection, in seconds: a busy machine may take some. */
const credentialsTimeoutSeconds = 10;

/**
 * The part of nats-server's configuration with its users and their permissions.
 * @param passwordOf what the file says in place of a password: a quoted string, a bcrypt hash in quotes, or `$NAME` for a
 * variable of the server's environment.
 */
export function natsAuthorization(passwordOf: (user: NatsUser) => string): string {
  return [
    '# Written by `npm run generate` from packages/contracts. Do not edit.',
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
  const { publish, subscribe } = permissionsOf(user);
  return [
    '    {',
    `      user: ${user}`,
    `      password: ${password}`,
    '      permissions {',
    ...allowBlock('publish', publish),
    ...allowBlock('subscribe', subscribe),
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
