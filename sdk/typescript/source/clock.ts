/** The machine's clock, in milliseconds since 1970; everything here asks it at the moment of use, for it may jump. */
export const now: () => number = () => Date.now();
