/** Lists of what hangs on one record, or on the few that are asked for, found by its key. */
export const OF_ONE_RECORD = [
  'listApplicableDiscounts',
  'listAttachedAddons',
  'listBilledTo',
  'listLimitedAmounts',
  'listLimitedLines',
  'listBilledPriceBooks',
  'listBilledUsage',
  'listSwitchedPeriods',
  'listChargeableAddons',
  'listChargeableAddonsOf',
  'listChargedFees',
  'listConnections',
  'listCreditedBack',
  'listCreditUses',
  'listInvoicesInFlight',
  'listNewlyPriced',
  'listWatermarksOfCustomer',
  'listOverpaymentsOf',
  'listPriceRows',
  'listOwnPrepaidUnits',
  'listOwnPrepaidUnitsOf',
  'listPauses',
  'listPausesOf',
  'listPrepaidUnits',
  'listRefundsOfInvoices',
  'listRevenueLines',
  'listDueSchedules',
  'listSchedulesBeside',
  'listSchedulesDue',
  'listSchedulesOnClock',
  'listSwitchCharges',
  'listFirstPeriods',
  'listPendingItems',
  'listPendingPeriods',
  'listWaitingPeriods',
  'listWaitingPeriodsOf',
];

/** Asked only in the first hours after an upgrade, for what the release before has kept: at most 48 hours of answers, by age. */
export const ONCE = ['listUnkeyedOperations'];
/** Asked by an operator's command, and answered whole. */
export const BY_COMMAND = ['listAccounts'];
