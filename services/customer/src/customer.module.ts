import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { AuditCustomers } from './card/audit-customers.js';
import { ClearTestCustomers } from './card/clear-test-customers.js';
import { MatchCustomer } from './card/match-customer.js';
import { RecordCustomer } from './card/record-customer.js';
import { ReleaseCustomer } from './card/release-customer.js';
import { ReservationEvents } from './card/reservation-events.js';
import { ReservationPurger } from './card/reservation-purger.js';
import { ResolveCustomer } from './card/resolve-customer.js';
import { SearchCustomers } from './card/search-customers.js';
import { ShowCustomer } from './card/show-customer.js';
import { UpdateCustomer } from './card/update-customer.js';

/** The customer cards. */
@Module({
  controllers: [
    ResolveCustomer,
    MatchCustomer,
    ReleaseCustomer,
    SearchCustomers,
    ShowCustomer,
    UpdateCustomer,
    AuditCustomers,
    ClearTestCustomers,
  ],
  providers: [RecordCustomer, ReservationPurger, ReservationEvents],
})
export class CustomerModule {}

/** What runs beside the operations, in the order of its start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [ReservationPurger];
