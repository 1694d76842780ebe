import { service as allocation } from '@pinkas/allocation/service';
import { service as console } from '@pinkas/console/service';
import { service as customer } from '@pinkas/customer/service';
import { service as delivery } from '@pinkas/delivery/service';
import { service as gateway } from '@pinkas/gateway/service';
import { service as issuing } from '@pinkas/issuing/service';
import { service as rendering } from '@pinkas/rendering/service';
import { runServices } from '@pinkas/service-kit';

await runServices('one', [
  { gateway, console },
  { issuing, customer, rendering, allocation, delivery },
]);
