'use client'

import { useQuery } from '#components/api/query.ts'
import { JsonView } from '#components/json/json-view.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/agent/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Tag } from '#components/ui/status/tag.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Change = Answers['agents']['compare']['changes'][number]

const AREAS: Record<Change['area'], string> = {
  tools: t.allowedTools,
  approvals: t.callsThatRequireApproval,
  models: t.models,
  data: t.data,
  budgets: t.budgetsAndLimits,
  risk: t.risk,
  other: t.everythingElse,
}

const WORDS: Record<Change['change'], string> = { added: t.added, removed: t.removed, changed: t.changed }

/** Lists the differences that matter for governance, grouped by area. The layout and order of the files don't count. */
export function Changes({ agentId, from, to }: { agentId: string; from: string; to: string }) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.agents.compare.queryOptions({ id: agentId, from, to }))
  if (data === undefined)
    return error === null ? (
      <Skeleton label={t.comparingVersions} rows={6} />
    ) : (
      <RequestFailed
        error={error}
        what={t.oneOfVersions}
        act={t.seeAgents}
        permission="agent:read"
        retry={() => void refetch()}
      />
    )
  if (data.changes.length === 0)
    return <EmptyState title={t.twoVersionsAreIdentical}>{t.manifestsCanDifferOnly}</EmptyState>
  const areas = (Object.keys(AREAS) as Change['area'][]).filter((area) =>
    data.changes.some((change) => change.area === area),
  )
  return areas.map((area) => (
    <Section key={area} title={AREAS[area]}>
      <DataTable
        caption={AREAS[area]}
        columns={columns(from, to)}
        rows={data.changes.filter((change) => change.area === area)}
        rowKey={(row) => row.subject}
      />
    </Section>
  ))
}

const columns = (from: string, to: string): Column<Change>[] => [
  {
    key: 'subject',
    header: t.subject,
    rowHeader: true,
    cell: (row) => (
      <code className="wrap-anywhere font-mono text-dense">
        <ShownText>{row.subject}</ShownText>
      </code>
    ),
  },
  {
    key: 'change',
    header: t.change,
    cell: ({ change }) => <Tag tone={change === 'changed' ? 'warn' : 'neutral'}>{WORDS[change]}</Tag>,
  },
  {
    key: 'before',
    header: t.inFrom({ from }),
    cell: (row) => <Value there={row.change !== 'added'} value={row.before} />,
  },
  {
    key: 'after',
    header: t.inTo({ to }),
    cell: (row) => <Value there={row.change !== 'removed'} value={row.after} />,
  },
]

function Value({ there, value }: { there: boolean; value: Change['before'] }) {
  if (!there) return <span className="text-ink-2">{t.missing}</span>
  // An item of a list is a name without a value.
  if (value === true) return t.present
  return <JsonView value={value} />
}
