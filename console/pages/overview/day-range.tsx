import { TextInput } from '@mantine/core';
import { useAddress } from '../../parts/address.ts';

/** Which days the overview is about: from the first up to, but without, the last; both stand in the address. */
export function DayRange() {
  const [address, change] = useAddress();
  return (['start', 'end'] as const).map((name) => (
    <TextInput
      key={name}
      label={name === 'start' ? 'From' : 'Until'}
      type="date"
      size="xs"
      value={address[name] ?? ''}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  ));
}
