import { migrations as allocation } from '@pinkas/allocation/migrations';
import { migrations as console } from '@pinkas/console/migrations';
import { migrations as customer } from '@pinkas/customer/migrations';
import { migrations as delivery } from '@pinkas/delivery/migrations';
import { migrations as gateway } from '@pinkas/gateway/migrations';
import { migrations as issuing } from '@pinkas/issuing/migrations';
import { migrations as rendering } from '@pinkas/rendering/migrations';

/** The migrations of each service's database. */
export const databases = { allocation, console, customer, delivery, gateway, issuing, rendering };
