/** What a bench is given. */
export interface Bench {
  readonly rounds: number;
  /** How long each target is under load in a round. */
  readonly seconds: number;
  /** A folder that goes when the run is over. */
  readonly scratch: string;
  /** A folder that stays. */
  readonly cache: string;
  readonly say: (text: string) => void;
  /** What is called, latest first, when the bench is over, however that comes. */
  readonly onStop: (stop: () => unknown) => void;
}
