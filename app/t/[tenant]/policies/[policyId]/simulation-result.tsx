'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { EFFECT_WORDS, EffectShape, Reasons } from '#components/policies/effect.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentPath, decisionPath } from '#lib/paths.ts'
import type { Simulation } from './merge-simulation.ts'

type Item = Simulation['items'][number]

/** Shows how many decisions would change and how, and lists each with its reasons. Changes that permit more come first. */
export function SimulationResult({ simulation, version }: { simulation: Simulation; version: number }) {
  const { tenant } = useSession()
  const { evaluated, notStored = 0, changed, flips, items, nextCursor } = simulation
  const scope = nextCursor === null ? t.inPeriod : t.simulatedSoFarPeriod
  const strong = (content: ReactNode) => <strong className="font-semibold">{content}</strong>
  const untried = notStored > 0 && <p>{t.decisionsNotStored({ decisions: notStored })}</p>
  if (evaluated === 0)
    return untried || <p>{nextCursor === null ? t.noDecisionsInThis({ strong }) : t.noDecisionsSoFar({ strong })}</p>
  return (
    <>
      <p>
        <strong className="font-semibold">
          {changed === 0
            ? t.versionChangesNoneOf({ version, decisions: evaluated })
            : t.versionChangesOfDecisions({ version, changed, decisions: evaluated })}
        </strong>{' '}
        {scope}.
      </p>
      {untried}
      {changed > 0 && (
        <>
          <DataTable
            caption={t.changesByKind}
            columns={FLIPS}
            rows={flips}
            rowKey={(row) => `${row.before} ${row.after}`}
          />
          <DataTable
            caption={t.decisionsThatChange}
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
    header: t.change,
    rowHeader: true,
    cell: ({ before, after }) => `${EFFECT_WORDS[before]} → ${EFFECT_WORDS[after]}`,
  },
  {
    key: 'meaning',
    header: t.effect,
    cell: ({ before, after }) =>
      before === after
        ? t.wouldHaveOtherTerms
        : before === 'deny'
          ? t.wouldNoLongerBe
          : after === 'allow'
            ? t.wouldNoLongerRequire
            : after === 'deny'
              ? t.wouldBeDenied
              : t.wouldRequireApproval,
  },
  { key: 'count', header: t.decisions, align: 'end', cell: ({ count }) => count },
]

const columns = (tenant: string): Column<Item>[] => [
  {
    key: 'what',
    header: t.decision,
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
          <VisuallyHidden>{t.decisionOf}</VisuallyHidden>
          <Time at={row.decidedAt} show="absolute" />
        </Link>
        <Link
          href={agentPath(tenant, row.agentId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center self-start text-dense"
        >
          {t.openAgent}
        </Link>
      </span>
    ),
  },
  {
    key: 'before',
    header: t.recordedDecision,
    cell: (row) => <Side effect={row.before} reasons={row.reasonsBefore} />,
  },
  {
    key: 'after',
    header: t.withThisVersion,
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
