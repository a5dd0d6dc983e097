/** Bad fields of an event and what is wrong with each: as the API's 422. */
export type FieldErrors = Record<string, string[]>;

/** An event that the service would refuse; it was not taken. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    const said = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    super(`The event is not valid: ${said.join('; ')}`);
    this.errors = errors;
  }
}

/** There is no room for the event, which was not taken: the spool has its `maxSpoolBytes`, or the disk is full (`cause`). */
export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError';
}

/** `track` after `close`: the event was not taken. */
export class MeterClosedError extends Error {
  override readonly name = 'MeterClosedError';

  constructor() {
    super('The meter is closed.');
  }
}

/** `flush` has waited long enough; what is not answered yet is still in the spool and goes on being sent. */
export class FlushTimeoutError extends Error {
  override readonly name = 'FlushTimeoutError';
}
