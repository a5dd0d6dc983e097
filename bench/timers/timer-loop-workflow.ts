import { sleep } from '@temporalio/workflow';

/** The least that a renewal could be: a timer, and nothing done when it has come. */
export async function timerLoop(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await sleep(1);
}
