import { describe, expect, it } from '@jest/globals';
import { contracts, events, streamOf } from '../catalogue.js';
import { serviceNames } from '../define.js';
import { consumerBindings } from './consumer-bindings.js';
import { inboxPrefixOf, natsUsers, permissionsOf, streamsOf } from './permissions.js';
import { natsAuthorization } from './server-configuration.js';

/** Whether a pattern of NATS covers a subject. */
function covers(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') {
      return given.length > index;
    }
    if (token !== '*' && token !== given[index]) {
      return false;
    }
  }
  return wanted.length === given.length;
}

const subjectOf = (allowed: string) => allowed.split(' ')[0] ?? '';
const mayPublish = (user: (typeof natsUsers)[number], subject: string) =>
  permissionsOf(user).publish.some((allowed) => covers(allowed, subject));
const mayHear = (user: (typeof natsUsers)[number], subject: string) =>
  permissionsOf(user).subscribe.some((allowed) => covers(subjectOf(allowed), subject));

describe('permissionsOf', () => {
  it.each(contracts.map((contract) => [contract.subject, contract] as const))(
    'only its owner subscribes to %s, in its queue group',
    (subject, contract) => {
      expect(serviceNames.filter((service) => mayHear(service, subject))).toEqual([contract.owner]);
      expect(permissionsOf(contract.owner).subscribe).toContain(`rpc.${contract.owner}.> ${contract.owner}`);
    },
  );

  it.each(events.map((event) => [event.subject, event] as const))(
    'only its owner publishes %s',
    (subject, event) => {
      const publishers = natsUsers.filter((user) => mayPublish(user, `${subject}.0`));
      expect(publishers).toEqual([event.owner]);
    },
  );

  it('no service subscribes to events of another, except issuing, which watches documents', () => {
    for (const service of serviceNames) {
      const heard = events.filter((event) => mayHear(service, `${event.subject}.0`));
      expect(heard).toEqual(service === 'issuing' ? events : []);
    }
  });

  it('no user subscribes to the replies to another', () => {
    for (const user of natsUsers) {
      const hearers = natsUsers.filter((other) => mayHear(other, `${inboxPrefixOf(user)}.x.1`));
      expect(hearers).toEqual([user]);
    }
  });

  it('a service uses its own streams and consumers of JetStream, and cannot change, empty or delete one', () => {
    for (const service of serviceNames) {
      const names = streamsOf(service).map((stream) => stream.name);
      const own = consumerBindings
        .filter((binding) => binding.service === service)
        .map((binding) => binding.durable);
      for (const subject of permissionsOf(service).publish.filter((item) => item.startsWith('$JS.'))) {
        const [, , kind, verb, ...rest] = subject.split('.');
        if (subject === '$JS.API.INFO') {
          continue;
        }
        if (kind === 'STREAM' && verb === 'MSG') {
          // What it has published itself.
          expect(subject).toBe(`$JS.API.STREAM.MSG.GET.${streamOf(service).name}`);
        } else if (kind === 'STREAM') {
          expect(['INFO', 'CREATE']).toContain(verb);
          expect(names).toContain(rest[0]);
        } else {
          expect(own.some((durable) => subject.split('.').includes(durable))).toBe(true);
        }
      }
    }
    expect(permissionsOf('gateway').publish.filter((subject) => subject.startsWith('$JS.'))).toEqual([]);
  });

  it('a service may reply to the users that may call it, and to no others', () => {
    for (const service of serviceNames) {
      const callers = natsUsers.filter((user) =>
        contracts.some(({ owner, subject }) => owner === service && mayPublish(user, subject)),
      );
      expect(natsUsers.filter((user) => mayPublish(service, `${inboxPrefixOf(user)}.x.1`))).toEqual(callers);
    }
  });

  it('a service publishes no wildcard except the document id of an event and the replies to a caller', () => {
    for (const service of serviceNames) {
      const { publish } = permissionsOf(service);
      for (const subject of publish.filter((item) => !item.startsWith('$JS.'))) {
        expect(subject).toMatch(/^(rpc(\.[a-z_]+){3}\.v1|evt(\.[a-z_]+){3}\.v1\.\*|_INBOX(_[a-z]+)?\.>)$/);
      }
    }
  });

  it('the configuration contains every user once', () => {
    const text = natsAuthorization((user) => `$NATS_PASSWORD_${user.toUpperCase()}`);
    for (const user of natsUsers) {
      expect(text.split(`user: ${user}\n`)).toHaveLength(2);
      expect(text).toContain(`password: $NATS_PASSWORD_${user.toUpperCase()}\n`);
    }
  });
});
