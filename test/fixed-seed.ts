import fc from 'fast-check';

/** Property tests try the same cases at every run, so that a failure is the change's; FC_SEED looks elsewhere. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_122) });
