'use client'

import Link from 'next/link'
import { ChangeStatusShape } from '#components/agents/change-status.tsx'
import { EndChange } from '#components/agents/end-change.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ChangedPolicies } from './changed-policies.tsx'
import { ProposeRelease } from './propose-release.tsx'

type Row = Answers['releases']['list']['items'][number]

/** Lists the releases of the agent by environment, with a form to propose another one. */
export function Releases({ agent }: { agent: AgentDetail }) {
  const { can } = useSession()
  if (!can('release:read')) return <MissingPermission act={t.seeReleases} permission="release:read" />
  return <ReleaseList agent={agent} />
}

function ReleaseList({ agent }: { agent: AgentDetail }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.releases.list, { agentId: agent.id })
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.releases}
        columns={columns(tenant)}
        rowKey={(row) => row.id}
        failed={{ what: t.theReleases, act: t.seeReleases, permission: 'release:read' }}
        empty={<EmptyState title={t.noReleases}>{t.releasePinsVersionAnd}</EmptyState>}
      />
      <ChangedPolicies releases={pages.items ?? []} />
      <ProposeRelease agent={agent} />
    </>
  )
}

const columns = (tenant: string): Column<Row>[] => [
  { key: 'version', header: t.version, rowHeader: true, cell: (row) => <ShownText>{row.version}</ShownText> },
  { key: 'environment', header: t.environment, cell: (row) => row.environment },
  { key: 'status', header: t.state, cell: (row) => <ChangeStatusShape status={row.status} /> },
  {
    key: 'digest',
    header: t.sha256,
    cell: (row) => <ShortDigest digest={row.digest} of={t.releaseNamed({ version: row.version })} />,
  },
  { key: 'by', header: t.proposedBy, cell: (row) => <ShownText>{row.proposedBy.displayName}</ShownText> },
  {
    key: 'approval',
    header: t.approval,
    cell: (row) => (
      <Link href={approvalPath(tenant, row.approvalId)} prefetch={false} className="text-link">
        {t.openRequestForIn({
          version: row.version,
          environment: row.environment,
          hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
        })}
      </Link>
    ),
  },
  {
    key: 'end',
    header: t.actions,
    // Rendered also for an ended release, so that an open dialog keeps showing its error.
    cell: (row) => (
      <EndChange
        kind="release"
        change={row}
        about={t.versionIn({ version: row.version, environment: row.environment })}
      />
    ),
  },
]
