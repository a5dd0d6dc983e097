import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListPath, Parameters, RecordOf } from '../api/client.ts';
import { listQuery } from '../api/queries.ts';
import { only, useAddress } from './address.ts';
import { AnchorLink } from './anchor-link.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { type Filter, Filters } from './filters.tsx';
import { Loaded } from './loaded.tsx';
import { HEADING_ID, PageHead } from './page-head.tsx';
import { Pager } from './pager.tsx';

/** A list under some filters that is often wanted, by name. */
export type View = { name: string; search: Record<string, string> };

type ListProps<P extends ListPath> = {
  path: P;
  /** What it is a list of, in the plural, as "customers". */
  things: string;
  columns: readonly Column<RecordOf<P>>[];
  rowKey: (row: RecordOf<P>) => string;
  filters?: readonly Filter[];
  views?: readonly View[];
  /** Beyond what the address says. */
  parameters?: Parameters;
  /** The id of the heading that names it; without, that of its region. */
  labelledBy?: string;
  /** One of several on a page, by its own name: of the address only `<name>_page` is about it. */
  aside?: string;
};

/** Rows of a list that is one of several on a page. */
const ASIDE_SIZE = '20';
/** What the address says of every list. */
const PAGING = ['page', 'after', 'page_size', 'sort'];

/** A page of a list, by what stands in the address: filters, views, page, sort. */
export function List<P extends ListPath>(props: ListProps<P>) {
  const { path, things, columns, rowKey, filters = [], views = [], parameters = {}, labelledBy, aside } = props;
  const [address] = useAddress();
  const { path: ids, query } = parameters;
  const names = [...filters.map(({ name }) => name), ...namesIn(views)];
  const [pageName, afterName] = aside === undefined ? ['page', 'after'] : [`${aside}_page`, `${aside}_after`];
  const ofAside = { page: address[pageName], after: address[afterName], page_size: ASIDE_SIZE };
  const asked = aside === undefined ? only(address, [...names, ...PAGING]) : ofAside;
  const page = useQuery(listQuery(path, { ...(ids && { path: ids }), query: { ...asked, ...query } }));
  const isFiltered = aside === undefined && names.some((name) => address[name]);
  const empty = isFiltered ? `No ${things} match` : `No ${things} yet`;
  return (
    <>
      <Views of={views} />
      {filters.length > 0 && <Filters of={filters} />}
      <Loaded query={page}>
        {(data) => (
          <>
            <DataTable columns={columns} rows={data.results} rowKey={rowKey} empty={empty} labelledBy={labelledBy} />
            {(aside === undefined || data.next || data.previous) && (
              <Pager page={data} by={pageName} after={afterName} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

type ListPageProps<P extends ListPath> = ListProps<P> & { title: string; actions?: ReactNode };

/** A list as a page of its own. */
export function ListPage<P extends ListPath>({ title, actions, ...list }: ListPageProps<P>) {
  return (
    <>
      <PageHead title={title}>{actions}</PageHead>
      <List {...list} labelledBy={HEADING_ID} />
    </>
  );
}

function namesIn(views: readonly View[]): string[] {
  return [...new Set(views.flatMap(({ search }) => Object.keys(search)))];
}

/** Links to the list's views; the one that is shown says so. */
function Views({ of: views }: { of: readonly View[] }) {
  const [address] = useAddress();
  if (views.length === 0) return null;
  const names = namesIn(views);
  const isShown = ({ search }: View) => names.every((name) => address[name] === search[name]);
  return (
    <Group gap="md" mb="sm">
      {views.map((view) => (
        <AnchorLink
          key={view.name}
          to="."
          search={view.search}
          size="sm"
          aria-current={isShown(view) ? 'page' : undefined}
          {...(isShown(view) && { fw: 700, c: 'inherit' })}
        >
          {view.name}
        </AnchorLink>
      ))}
    </Group>
  );
}
