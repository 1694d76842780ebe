import { describe, expect, it } from '@jest/globals';
import { ServerNats } from '@nestjs/microservices';
import { subscriptionsOf } from './server.js';

describe('subscriptionsOf', () => {
  it('ServerNats of the installed Nest has the private field that the contract server drains', () => {
    expect(subscriptionsOf(new ServerNats({}))).toEqual([]);
  });
});
