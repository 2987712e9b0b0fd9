'use client'

import Link from 'next/link'
import { EFFECT_WORDS, EffectShape, Reasons } from '#components/policies/effect.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { formatCount } from '#lib/format.ts'
import { agentPath, decisionPath } from '#lib/paths.ts'
import type { Simulation } from './merge-simulation.ts'

type Item = Simulation['items'][number]

/** Shows how many decisions would change and how, and lists each with its reasons. Changes that permit more come first. */
export function SimulationResult({ simulation, version }: { simulation: Simulation; version: number }) {
  const { tenant } = useSession()
  const { evaluated, changed, flips, items, nextCursor } = simulation
  const scope = nextCursor === null ? 'in the period' : 'simulated so far; the period contains older decisions'
  if (evaluated === 0)
    return (
      <p>
        <strong className="font-semibold">No decisions in this environment and period.</strong> Choose a longer period
        or another environment.
      </p>
    )
  return (
    <>
      <p>
        <strong className="font-semibold">
          {changed === 0
            ? `Version ${version} changes none of ${formatCount(evaluated, 'decision')}`
            : `Version ${version} changes ${changed} of ${formatCount(evaluated, 'decision')}`}
        </strong>{' '}
        {scope}.
      </p>
      {changed > 0 && (
        <>
          <DataTable
            caption="Changes by kind"
            columns={FLIPS}
            rows={flips}
            rowKey={(row) => `${row.before} ${row.after}`}
          />
          <DataTable
            caption="Decisions that change"
            columns={columns(tenant)}
            rows={items}
            rowKey={(row) => row.decisionId}
          />
        </>
      )}
    </>
  )
}

const FLIPS: Column<Simulation['flips'][number]>[] = [
  {
    key: 'flip',
    header: 'Change',
    rowHeader: true,
    cell: ({ before, after }) => `${EFFECT_WORDS[before]} → ${EFFECT_WORDS[after]}`,
  },
  {
    key: 'meaning',
    header: 'Effect',
    cell: ({ before, after }) =>
      before === 'deny'
        ? 'Would no longer be denied'
        : after === 'allow'
          ? 'Would no longer require approval'
          : after === 'deny'
            ? 'Would be denied'
            : 'Would require approval',
  },
  { key: 'count', header: 'Decisions', align: 'end', cell: ({ count }) => count },
]

const columns = (tenant: string): Column<Item>[] => [
  {
    key: 'what',
    header: 'Decision',
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <code className="wrap-anywhere font-mono text-dense">
          <ShownText>{row.resource}</ShownText>
        </code>
        <Link
          href={decisionPath(tenant, row.decisionId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center self-start text-dense"
        >
          <VisuallyHidden>Decision of </VisuallyHidden>
          <Time at={row.decidedAt} show="absolute" />
        </Link>
        <Link
          href={agentPath(tenant, row.agentId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center self-start text-dense"
        >
          Open the agent
        </Link>
      </span>
    ),
  },
  {
    key: 'before',
    header: 'Recorded decision',
    cell: (row) => <Side effect={row.before} reasons={row.reasonsBefore} />,
  },
  {
    key: 'after',
    header: 'With this version',
    cell: (row) => <Side effect={row.after} reasons={row.reasonsAfter} />,
  },
]

function Side({ effect, reasons }: { effect: Item['before']; reasons: Item['reasonsBefore'] }) {
  return (
    <span className="flex flex-col gap-1">
      <EffectShape effect={effect} />
      <span className="text-dense">
        <Reasons reasons={reasons} />
      </span>
    </span>
  )
}
