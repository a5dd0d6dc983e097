import { Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Point } from './point.ts';

const FIGURE = { margin: 'var(--mantine-spacing-md) 0' };

/** Loaded when a chart is drawn. */
const Bars = lazy(async () => ({ default: (await import('./bars.tsx')).Bars }));

/** Values over time, as bars. Those who cannot see it have the table of the same values, which stands beside every chart. */
export function Chart({ points, series, title }: { points: Point[]; series: readonly string[]; title: string }) {
  if (points.length === 0) return <Text c="dimmed">Nothing to draw yet.</Text>;
  return (
    <figure style={FIGURE} aria-label={title}>
      <div aria-hidden="true">
        <Suspense fallback={<Skeleton height={220} />}>
          <Bars points={points} series={series} />
        </Suspense>
      </div>
      <VisuallyHidden component="figcaption">{title}. Its values are in the table below.</VisuallyHidden>
    </figure>
  );
}
