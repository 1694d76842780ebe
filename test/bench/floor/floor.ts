import { defineContract, defineRoute, Strict } from '@pinkas/contracts';
import Type from 'typebox';

const One = Strict({ one: Type.Integer() });

/** What `select 1` answers, asked of a process with a database of its own. */
export const askFloor = defineContract('issuing.floor.ask', { request: Strict({}), reply: One });

/** The least that a request can be: every check of the gateway, one hop over NATS, and `select 1`. */
export const getFloor = defineRoute({
  operation: 'getFloor',
  summary: 'The least that a request can be',
  description: 'For measurements only.',
  path: '/floor',
  reply: One,
});
