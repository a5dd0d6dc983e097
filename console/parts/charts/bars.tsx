import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { Point } from './point.ts';

const COLORS = ['indigo.6', 'orange.6', 'teal.6', 'grape.6'];

/** The chart is hidden from those who cannot see it, so it takes no focus: the table beside it does. */
const NOT_FOCUSED = { accessibilityLayer: false, tabIndex: -1 };

export function Bars({ points, series }: { points: Point[]; series: readonly string[] }) {
  const data = points.map(({ label, values }) => ({
    label,
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(String(value))])),
  }));
  return (
    <BarChart
      h={220}
      data={data}
      dataKey="label"
      series={series.map((name, index) => ({ name, color: COLORS[index % COLORS.length] ?? 'gray.6' }))}
      withLegend={series.length > 1}
      barProps={{ isAnimationActive: false }}
      barChartProps={NOT_FOCUSED}
    />
  );
}
