import type { AnswerOf } from '../api/client.ts';
import { Facts } from '../parts/facts.tsx';
import { Money, Percent, Quantity } from '../parts/numbers.tsx';
import { Region } from '../parts/region.tsx';
import { PriceFrom, Properties } from './price-row.tsx';
import { Price } from './prices.tsx';

type Explained = Pick<
  AnswerOf<'/api/invoices/{invoice_id}/lines/{line_id}/explain'>,
  'currency' | 'group' | 'price' | 'limit' | 'discount'
>;

/** By which row of a price book, limits or discount a line came to be; nothing for a line of none. */
export function LineBasis({ of: { group, price, limit, discount, currency } }: { of: Explained }) {
  return (
    <>
      {group && (
        <Region title="Price row">
          <Facts
            of={[
              ['Events with', <Properties key="group" of={group} />],
              ['Row for', price ? <Properties key="when" of={price.when} /> : "None: the component's own price"],
              ['From', price && <PriceFrom key="from" of={price.from} />],
              ['Price', price && <Price key="price" of={price} currency={currency} />],
              ['Free tier', price && <Quantity key="free" value={price.free_tier} />],
            ]}
          />
        </Region>
      )}
      {limit && (
        <Region title="Limits">
          <Facts
            of={[
              ['At least', limit.minimum_amount && <Money value={limit.minimum_amount} currency={currency} />],
              ['At most', limit.maximum_amount && <Money value={limit.maximum_amount} currency={currency} />],
              ['What they count', <Money key="charged" value={limit.charged} currency={currency} />],
              ['Trued up before', <Money key="before" value={limit.trued_up} currency={currency} />],
            ]}
          />
        </Region>
      )}
      {discount && (
        <Region title="Discount">
          <Facts
            of={[
              ['Percent off', discount.percent_off && <Percent value={discount.percent_off} />],
              ['Amount off', discount.amount_off && <Money value={discount.amount_off} currency={currency} />],
              ['Of what was left', <Money key="left" value={discount.amount} currency={currency} />],
            ]}
          />
        </Region>
      )}
    </>
  );
}
