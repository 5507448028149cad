/** An address that the rules forbid. The message is a sentence for the person who entered it. */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';
}

/** A name without an address; it may get one later. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}
