/** An address that our rules do not let anybody reach. The message is a sentence for the person who gave it. */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';
}

/** A name that has no address now; it may have one later. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}
