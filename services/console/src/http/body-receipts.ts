/** Who sends a body: a signed-in person, or a network in which no one is known. */
export interface Sender {
  readonly isSignedIn: boolean;
  readonly id: string;
}

/** How many bodies are received at once. */
const totalMax = { signedIn: 64, unknown: 32 } as const;
const perSenderMax = 4;

interface Receipt {
  readonly sender: Sender;
  readonly end: () => void;
}

/**
 * The bodies that are being received. A new one is always taken: where there are too many, the one that has taken longest ends, so
 * that slow senders keep out no one but themselves.
 */
export class BodyReceipts {
  /** The longest first. */
  readonly #receipts = new Set<Receipt>();

  /**
   * @param end ends the body for the sake of a newer one.
   * @returns what is called once the body has arrived, or its connection was closed.
   */
  begin(sender: Sender, end: () => void): () => void {
    const alike = [...this.#receipts].filter((receipt) => receipt.sender.isSignedIn === sender.isSignedIn);
    const own = alike.filter((receipt) => receipt.sender.id === sender.id);
    const max = totalMax[sender.isSignedIn ? 'signedIn' : 'unknown'];
    const longest = (own.length >= perSenderMax && own[0]) || (alike.length >= max && alike[0]);
    if (longest) {
      this.#receipts.delete(longest);
      longest.end();
    }
    const receipt: Receipt = { sender, end };
    this.#receipts.add(receipt);
    return () => this.#receipts.delete(receipt);
  }
}
