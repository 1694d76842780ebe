import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { CustomerOperations } from './card/customer-operations.js';
import { RecordCustomer } from './card/record-customer.js';
import { ReservationEvents } from './card/reservation-events.js';
import { ReservationPurger } from './card/reservation-purger.js';
import { ResolveCustomer } from './card/resolve-customer.js';

/** The customer cards. */
@Module({
  controllers: [ResolveCustomer, CustomerOperations],
  providers: [RecordCustomer, ReservationPurger, ReservationEvents],
})
export class CustomerModule {}

/** The background tasks, in the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [ReservationPurger];
