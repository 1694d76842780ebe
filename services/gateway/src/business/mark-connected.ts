import {
  markConnected,
  type ReplyOf,
  type RequestOf,
  showConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { Operation, RpcClient } from '@pinkas/service-kit';

/**
 * Allocation numbers are requested only for a business whose settings say that it is connected. Disconnecting clears the setting,
 * ends the connection, and clears the setting again: so whichever of the two is late sees what the other has done.
 */
@Operation(markConnected)
export class MarkConnected {
  constructor(private readonly rpc: RpcClient) {}

  async handle(by: RequestOf<typeof markConnected>): Promise<ReplyOf<typeof markConnected>> {
    await this.#set(by, true);
    const { connection } = await this.rpc.call(showConnection, { business_id: by.business_id });
    if (connection === null) {
      await this.#set(by, false);
    }
    return { connected: connection !== null };
  }

  async #set(by: RequestOf<typeof markConnected>, isConnected: boolean): Promise<void> {
    await this.rpc.call(updateBusiness, { ...by, change: { tax_authority_connected: isConnected } });
  }
}
