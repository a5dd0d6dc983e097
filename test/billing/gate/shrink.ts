import type { Life, LifePlan, LifeStep } from '../lives/life.ts';

/** Returns the smallest life that still fails which can be reached by leaving out or simplifying one thing after another. */
export function shrink(life: Life, fails: (life: Life) => boolean): Life {
  for (let current = life; ; ) {
    const next = simpler(current).find((one) => fails(one));
    if (!next) return current;
    current = next;
  }
}

function simpler(life: Life): Life[] {
  const { steps, plans, customers, ignoresLate: _late, ...rest } = life;
  const others = steps.flatMap((step, i) => simplerSteps(step).map((one) => ({ ...life, steps: steps.with(i, one) })));
  const names = Object.keys(plans).filter((name) => !JSON.stringify(steps).includes(name));
  const withPlans = Object.entries(plans).flatMap(([name, plan]) =>
    simplerPlans(plan).map((one) => ({ ...life, plans: { ...plans, [name]: one } })),
  );
  const billed = customers.map(({ taxRate: _rate, ...customer }) => customer);
  return [
    ...steps.map((_, i) => ({ ...life, steps: steps.toSpliced(i, 1) })).toReversed(),
    ...names.map((name) => ({
      ...life,
      plans: Object.fromEntries(Object.entries(plans).filter(([key]) => key !== name)),
    })),
    ...(customers.length > 1 ? aloneIn(life) : []),
    ...(customers.some(({ taxRate }) => taxRate) ? [{ ...life, customers: billed }] : []),
    ...(life.ignoresLate ? [{ ...rest, steps, plans, customers }] : []),
    ...withPlans,
    ...others,
  ];
}

function aloneIn({ customers, steps, ...life }: Life): Life[] {
  return customers.map(({ billedTo: _payer, ...customer }) => ({
    ...{ ...life, customers: [customer], steps: steps.filter((step) => step.customer === customer.id) },
  }));
}

function simplerSteps(step: LifeStep): LifeStep[] {
  const whole = Math.floor(step.at) === step.at ? [] : [{ ...step, at: Math.floor(step.at) }];
  const dropped = (['invoicing', 'resets', 'billsUsage', 'fee', 'amount', 'trialDays', 'isOnce'] as const).flatMap(
    (key) => {
      if (!(key in step)) return [];
      const { [key]: _, ...left } = step as LifeStep & Record<typeof key, unknown>;
      return [left as LifeStep];
    },
  );
  const lists = (['discounts', 'phases'] as const).flatMap((key) => {
    const list = (step as { discounts?: unknown[]; phases?: unknown[] })[key];
    return list ? list.map((_, i) => ({ ...step, [key]: list.toSpliced(i, 1) }) as LifeStep) : [];
  });
  const empty = (['discounts', 'phases'] as const).flatMap((key) => {
    const list = (step as { discounts?: unknown[]; phases?: unknown[] })[key];
    if (list?.length !== 0) return [];
    const { [key]: _, ...left } = step as LifeStep & Record<typeof key, unknown>;
    return [left as LifeStep];
  });
  return [...whole, ...dropped, ...lists, ...empty];
}

function simplerPlans(plan: LifePlan): LifePlan[] {
  const { components = [] } = plan;
  const dropped = (['minimum', 'maximum', 'days', 'billsMonths', 'timing'] as const).flatMap((key) => {
    if (plan[key] === undefined) return [];
    const { [key]: _, ...left } = plan;
    return [left];
  });
  const lessOf = components.flatMap((one, i) =>
    (['freeTier', 'minimum', 'maximum', 'prepaid'] as const).flatMap((key) => {
      if (one[key] === undefined) return [];
      const { [key]: _, ...left } = one;
      return [{ ...plan, components: components.with(i, left) }];
    }),
  );
  const fees = ['0', '30', '60'].filter((fee) => fee !== plan.fee && Number(fee) < Number(plan.fee));
  return [
    ...components.map((_, i) => ({ ...plan, components: components.toSpliced(i, 1) })),
    ...dropped,
    ...lessOf,
    ...fees.map((fee) => ({ ...plan, fee })),
  ];
}
