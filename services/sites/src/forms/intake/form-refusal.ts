/** Why a form was refused, as shown to its sender. */
export type RefusalReason =
  | 'malformed'
  | 'empty'
  | 'too_many_fields'
  | 'field_too_long'
  | 'too_large'
  | 'file'
  | 'unsupported_type'
  | 'foreign_origin'
  | 'not_here'
  | 'too_many_submissions'
  | 'too_many_today'
  | 'overloaded';

export class FormRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`form refused: ${reason}`, options);
    this.name = 'FormRefusal';
    this.reason = reason;
  }
}
