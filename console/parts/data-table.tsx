import { Table, Text } from '@mantine/core';
import { createColumnHelper, type Header, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import classes from './data-table.module.css';
import { useHeadingId } from './region.tsx';
import { SortLink } from './sort-link.tsx';

/** A column: what stands in its cells, and by which of the API's fields the list is sorted where it can be. */
export type Column<Row> = { header: string; cell: (row: Row) => ReactNode; sort?: string; isNumber?: boolean };

const features = tableFeatures({});

type DataTableProps<Row> = {
  columns: readonly Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Says that there is none. */
  empty: string;
  /** The id of the heading that names the table; without, that of its region. */
  labelledBy?: string;
};

/** Rows of records; a row's first cell is its heading, and leads to its record. */
export function DataTable<Row extends object>({ columns, rows, rowKey, empty, labelledBy }: DataTableProps<Row>) {
  const heading = useHeadingId();
  const definitions = useMemo(() => {
    const { display } = createColumnHelper<typeof features, Row>();
    return columns.map(({ header }) => display({ id: header }));
  }, [columns]);
  const table = useTable({ features, columns: definitions, data: rows, getRowId: rowKey });
  const alignment = (index: number) => (columns[index]?.isNumber ? 'right' : 'left');
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="group" aria-labelledby={labelledBy ?? heading}>
      <Table
        // Its roles are said: a phone lays it out as no table.
        role="table"
        className={classes.table}
        aria-labelledby={labelledBy ?? heading}
        verticalSpacing={6}
        fz="sm"
        highlightOnHover
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {table.getFlatHeaders().map((header: Header<typeof features, Row>, index) => (
              <Table.Th
                key={header.id}
                role="columnheader"
                scope="col"
                ta={alignment(index)}
                style={{ whiteSpace: 'nowrap' }}
                data-unsorted={columns[index]?.sort === undefined || undefined}
              >
                <SortLink header={header.id} field={columns[index]?.sort} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.id} role="row">
              {row.getAllCells().map((cell, index) => (
                <Table.Td
                  key={cell.id}
                  role="cell"
                  ta={alignment(index)}
                  style={CELL_STYLE}
                  data-label={columns[index]?.header}
                >
                  {/* Not as a component: one made anew would put a new link in the place of the one that is being clicked. */}
                  <div>{columns[index]?.cell(row.original)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const CELL_STYLE = { maxWidth: '24rem', overflowWrap: 'break-word' } as const;
