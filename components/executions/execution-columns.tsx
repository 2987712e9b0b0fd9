import Link from 'next/link'
import { ShownLeaf } from '#components/json/shown-leaf.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { rowAttribute } from '#components/lists/use-row-keys.ts'
import * as t from '#components/texts/execution-rows/en.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { OneLine } from '#components/ui/text/one-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath } from '#lib/paths.ts'
import type { ArgumentView } from '#lib/schemas/approvals.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { EffectAmount, EffectTitle } from './effect-title.tsx'
import { ExecutionStatusShape } from './execution-status.tsx'
import { Took } from './took.tsx'

/** What a list of executions shows. The title links to the execution. */
export const executionColumns = (tenant: string): Column<ExecutionSummary>[] => [
  { key: 'status', header: t.state, cell: (row) => <State execution={row} /> },
  {
    key: 'effect',
    header: t.execution,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <Link
          href={executionPath(tenant, row.id)}
          prefetch={false}
          {...{ [rowAttribute]: row.id }}
          className="text-link wrap-anywhere font-semibold max-rail:inline-block max-rail:py-3"
        >
          <EffectTitle execution={row} />
        </Link>
        <InputInShort rows={row.inputShown} omitted={row.inputOmitted ?? 0} />
      </span>
    ),
  },
  { key: 'amount', header: t.amount, align: 'end', cell: ({ effect }) => <EffectAmount effect={effect} /> },
  {
    key: 'agent',
    header: t.agent,
    cell: ({ agentDisplayName, agentVersion, environment }) => (
      <span className="flex flex-col">
        <OneLine text={agentDisplayName}>
          <ShownText>{agentDisplayName}</ShownText>
        </OneLine>
        <span className="text-ink-2">
          <OneLine text={`${agentVersion}, ${environment}`}>
            <ShownText>{agentVersion}</ShownText>, {environment}
          </OneLine>
        </span>
      </span>
    ),
  },
  {
    key: 'by',
    header: t.startedBy,
    cell: ({ startedBy: { displayName } }) => (
      <OneLine text={displayName}>
        <ShownText>{displayName}</ShownText>
      </OneLine>
    ),
  },
  { key: 'began', header: t.started, cell: ({ createdAt }) => <Time at={createdAt} show="relative" /> },
  { key: 'took', header: t.took, align: 'end', cell: (row) => <Took execution={row} bar /> },
]

/** The state, and the person whose decision led to it. */
function State({ execution: { status, decision } }: { execution: ExecutionSummary }) {
  const verb = decision?.status === 'approved' ? 'approved' : decision?.status === 'rejected' ? 'rejected' : undefined
  return (
    <span className="flex flex-col whitespace-nowrap">
      <ExecutionStatusShape status={status} />
      {decision?.by != null && verb !== undefined && (
        <span className="whitespace-normal text-ink-2">
          {t.decidedBy({ verb, by: decision.by.displayName, shown: shownText })}
        </span>
      )}
    </span>
  )
}

/** The first values of the input on one line, and how many more it has. */
function InputInShort({ rows, omitted }: { rows: readonly ArgumentView[]; omitted: number }) {
  if (rows.length === 0) return null
  return (
    <span className="flex flex-wrap items-center gap-x-3 text-ink-2">
      {rows.map(({ path, value, masked }) => (
        <span key={path} className="wrap-anywhere">
          <ShownText>{path}</ShownText>{' '}
          <span className="text-ink">
            <ShownLeaf value={value} masked={masked} />
          </span>
        </span>
      ))}
      {omitted > 0 && <span>{t.moreValues({ omitted })}</span>}
    </span>
  )
}
