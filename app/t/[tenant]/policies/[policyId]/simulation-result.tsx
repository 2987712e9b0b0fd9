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

/** How many decisions would change, how, and each of them with its reasons; what would be let through stands first. */
export function SimulationResult({ simulation, version }: { simulation: Simulation; version: number }) {
  const { tenant } = useSession()
  const { evaluated, changed, flips, items, nextCursor } = simulation
  const scope = nextCursor === null ? 'in the period' : 'computed so far; older ones of the period are left'
  if (evaluated === 0)
    return (
      <p>
        <strong className="font-semibold">Nothing was decided in that environment and period.</strong> A longer period,
        or another environment, may tell more.
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
            caption="How they change"
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
    header: 'How they change',
    rowHeader: true,
    cell: ({ before, after }) => `${EFFECT_WORDS[before]} → ${EFFECT_WORDS[after]}`,
  },
  {
    key: 'meaning',
    header: 'What that means',
    cell: ({ before, after }) =>
      before === 'deny'
        ? 'Would no longer be stopped'
        : after === 'allow'
          ? 'Would no longer be decided by a person'
          : after === 'deny'
            ? 'Would be stopped'
            : 'Would be decided by a person',
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
          Its agent
        </Link>
      </span>
    ),
  },
  {
    key: 'before',
    header: 'As it was decided',
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
