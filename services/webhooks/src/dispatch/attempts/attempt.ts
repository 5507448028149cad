import type { DispatchSettings } from '../dispatch-config.ts';
import type { InFlight } from './in-flight.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';
import type { Sender, Sent } from './sender.ts';

/** One attempt to deliver, as its endpoint's queue runs it. Neither method rejects. */
export interface Attempt {
  /** Where it goes. */
  readonly url: string;
  /** True for a delivery that this process has claimed in the store. */
  readonly isClaimed: boolean;
  /** Makes the request; undefined if it was too late to make it. */
  send(): Promise<Sent | undefined>;
  /** Writes the outcome. */
  save(sent: Sent): Promise<void>;
}

/** The first attempt for an event. Until its delivery is stored, the event occupies memory and the stream. */
export interface HeldAttempt extends Attempt {
  /** When the event arrived, on the monotonic clock in milliseconds. */
  readonly receivedAt: number;
  /**
   * Stores the delivery before its outcome is known. `isInFlight`: the request is being made, and `save` follows.
   * Rejects if that fails.
   */
  defer(isInFlight: boolean): Promise<void>;
}

/** The dependencies of attempts. */
export interface AttemptParts {
  readonly settings: DispatchSettings;
  readonly sender: Sender;
  readonly outcomes: OutcomeRecorder;
  readonly inFlight: InFlight;
}
