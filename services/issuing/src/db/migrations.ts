import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { buyers } from './0002-buyers.js';
import { warnings } from './0003-warnings.js';
import { unconnected } from './0004-unconnected.js';
import { unreportedDonations } from './0005-unreported-donations.js';
import { agorotTakenAsPaid } from './0006-agorot-taken-as-paid.js';
import { setOff } from './0007-set-off.js';
import { settlement } from './0008-settlement.js';
import { withheld } from './0009-withheld.js';
import { overpaidProformas } from './0010-overpaid-proformas.js';

/** In order; a migration that was released never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-buyers': buyers,
  '0003-warnings': warnings,
  '0004-unconnected': unconnected,
  '0005-unreported-donations': unreportedDonations,
  '0006-agorot-taken-as-paid': agorotTakenAsPaid,
  '0007-set-off': setOff,
  '0008-settlement': settlement,
  '0009-withheld': withheld,
  '0010-overpaid-proformas': overpaidProformas,
};
