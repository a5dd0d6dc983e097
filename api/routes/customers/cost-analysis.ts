import { analyseCosts } from '../../../services/customers/analyse-costs.ts';
import { costAnalysisQuery, costAnalysisWire } from '../../../wire/cost-analysis.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const costAnalysis = operation({
  id: 'retrieveCostAnalysis',
  method: 'get',
  path: '/api/customers/{customer_id}/cost_analysis/',
  tag: 'Customers',
  summary: "A customer's revenue, cost and margin by day",
  description:
    "Days are the customer's, end_date is inclusive, 366 days at most; without dates the last 30 days. Revenue is without tax: fees and prepaid units evenly over their period, usage on the days that caused it, one-time charges on their day; what is not billed yet as the draft invoice has it. Over whole periods it adds up to the invoices' subtotals.",
  scope: 'read',
  params: customerPath,
  query: costAnalysisQuery,
  success: 200,
  inThread: true,
  response: costAnalysisWire,
  run: ({ caller: { accountId }, params: { customer_id: customerId }, query, now, room }, dependencies) =>
    analyseCosts({ ...dependencies, room }, { accountId, customerId }, query, now),
});
