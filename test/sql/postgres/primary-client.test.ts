import { describe, expect, test } from 'vitest';
import { serversOf } from '../../../sql/postgres/primary-client.ts';

describe('the servers of DATABASE_URL', () => {
  test('one is taken as it stands', () => {
    const url = 'postgres://meterbook:a%2Cb@db:5432/meterbook?sslmode=require';
    expect(serversOf(url)).toEqual([url]);
  });

  test('several are each a URL with the same login, database and settings', () => {
    expect(serversOf('postgresql://u:p@a:1,b/meterbook?target_session_attrs=read-write')).toEqual([
      'postgresql://u:p@a:1/meterbook?target_session_attrs=read-write',
      'postgresql://u:p@b/meterbook?target_session_attrs=read-write',
    ]);
    expect(serversOf('postgres://[::1]:5432,[::2]:5432/meterbook')).toEqual([
      'postgres://[::1]:5432/meterbook',
      'postgres://[::2]:5432/meterbook',
    ]);
  });

  test('another server than the one that takes writes is refused', () => {
    const url = 'postgres://u:p@a,b/meterbook?target_session_attrs=standby';
    expect(() => serversOf(url)).toThrow('target_session_attrs=standby');
    expect(() => serversOf(url)).not.toThrow('u:p');
  });
});
