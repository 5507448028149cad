import type { RaisedEvent } from './events.ts';

/**
 * The result of a rule: the record's next state and the events that it raises. The store takes a change only whole, and
 * a literal or a spread is none (tsc): what a rule raises can only grow on its way to the record.
 */
export class Change<State, E extends RaisedEvent = RaisedEvent> {
  readonly state: State;
  readonly events: readonly E[];

  constructor(state: State, events: readonly E[]) {
    this.state = state;
    this.events = events;
  }

  /** The change with more of the state, such as its place in a quota. */
  withState<More extends object>(more: More): Change<State & More, E> {
    return new Change({ ...this.state, ...more }, this.events);
  }

  /** The change and the act that it is, for the audit log. */
  withAudit(act: RaisedEvent): Change<State, E | RaisedEvent> {
    return this.withEvents([act]);
  }

  withEvents<More extends RaisedEvent>(more: readonly More[]): Change<State, E | More> {
    return new Change<State, E | More>(this.state, [...this.events, ...more]);
  }
}
