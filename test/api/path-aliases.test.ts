import { describe, expect, test } from 'vitest';
import { pathAliases } from '../../api/path-aliases.ts';

describe('path aliases (spec/api#paths)', () => {
  test('a path answers with and without /api', () => {
    expect(pathAliases({ method: 'post', path: '/api/plans' })).toEqual(['/api/plans', '/plans']);
  });

  test('fixed words take - and _ alike, each word by itself', () => {
    const aliases = pathAliases({ method: 'get', path: '/api/metric-access/by_day' });
    expect(aliases.filter((path) => path.startsWith('/api')).sort()).toEqual([
      '/api/metric-access/by-day',
      '/api/metric-access/by_day',
      '/api/metric_access/by-day',
      '/api/metric_access/by_day',
    ]);
    expect(aliases).toHaveLength(8);
  });

  test('a word of three parts takes every mixture', () => {
    expect(pathAliases({ method: 'post', path: '/api/change-prepaid-units' })).toHaveLength(8);
  });

  test('ids keep their names and are never respelled', () => {
    expect(pathAliases({ method: 'get', path: '/api/customers/{customer_id}/draft_invoice/' })).toEqual([
      '/api/customers/:customer_id/draft-invoice',
      '/customers/:customer_id/draft-invoice',
      '/api/customers/:customer_id/draft_invoice',
      '/customers/:customer_id/draft_invoice',
    ]);
  });

  test("GET /metrics is Prometheus's; POST /metrics and GET /metrics/<id> are ours", () => {
    expect(pathAliases({ method: 'get', path: '/api/metrics' })).toEqual(['/api/metrics']);
    expect(pathAliases({ method: 'post', path: '/api/metrics' })).toContain('/metrics');
    expect(pathAliases({ method: 'get', path: '/api/metrics/{metric_id}' })).toContain('/metrics/:metric_id');
  });
});
