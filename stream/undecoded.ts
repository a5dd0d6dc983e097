/** Why a message could not be decoded; kept with its dead letter. */
export type UndecodableReason = 'not_utf8' | 'not_json' | 'unknown_version' | 'malformed' | 'damaged';

export type Undecoded = { reason: UndecodableReason; detail: string };
