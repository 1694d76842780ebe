import { Module } from '@nestjs/common';
import { PurgeReservations } from './card/purge-reservations.js';
import { RecordCustomer } from './card/record-customer.js';
import { ReleaseCustomer } from './card/release-customer.js';
import { ReservationEnds } from './card/reservation-ends.js';
import { ResolveCustomer } from './card/resolve-customer.js';
import { SearchCustomers } from './card/search-customers.js';

/** The customer cards. */
@Module({
  controllers: [ResolveCustomer, ReleaseCustomer, SearchCustomers],
  providers: [RecordCustomer, PurgeReservations, ReservationEnds],
})
export class CustomerModule {}
