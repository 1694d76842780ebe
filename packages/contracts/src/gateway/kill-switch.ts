import Type from 'typebox';
import { defineContract } from '../define.js';
import { Strict } from '../schema/fields.js';

/** Turns the HTTP API off, or on again, for every gateway at once. */
export const setKillSwitch = defineContract('gateway.kill_switch.set', {
  request: Strict({ enabled: Type.Boolean() }),
  reply: Strict({ enabled: Type.Boolean() }),
});
