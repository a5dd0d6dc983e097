import { useAddress } from '../../parts/address.ts';
import { DateInput } from '../../parts/date-input.tsx';

/** Which days the overview is about: from the first up to, but without, the last; both stand in the address. */
export function DayRange() {
  const [{ start = '', end = '' }, change] = useAddress();
  return (
    <>
      <DateInput label="From" value={start} onChange={(date) => change({ start: date })} />
      <DateInput label="Until" value={end} onChange={(date) => change({ end: date })} />
    </>
  );
}
