'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { ChangeStatusShape } from '#components/agents/change-status.tsx'
import { EndChange } from '#components/agents/end-change.tsx'
import type { Pages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policies/en.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentPath, approvalPath, policyPath } from '#lib/paths.ts'
import { labelText } from '#lib/rules/label-text.ts'
import type { Binding } from '#lib/schemas/policies.ts'

/** Bindings as the page of their agent or of their policy shows them. */
export function BindingTable(props: { pages: Pages<Binding>; about: 'agent' | 'policy'; empty: ReactNode }) {
  const { pages, about, empty } = props
  const { tenant } = useSession()
  return (
    <PagedTable
      pages={pages}
      caption={t.policyBindings}
      columns={columns(tenant, about)}
      rowKey={(row) => row.id}
      failed={{ what: t.thePolicy, act: t.seePolicyBindings, permission: 'policy:read' }}
      empty={empty}
    />
  )
}

const columns = (tenant: string, about: 'agent' | 'policy'): Column<Binding>[] => [
  about === 'agent'
    ? {
        key: 'policy',
        header: t.policy,
        rowHeader: true,
        cell: (row) => (
          <Link href={policyPath(tenant, row.policyId)} prefetch={false} className="text-link wrap-anywhere">
            {row.policyName}
          </Link>
        ),
      }
    : {
        key: 'agent',
        header: t.agent,
        rowHeader: true,
        cell: (row) =>
          row.agentId === null ? (
            <ShownText>{t.agentsWith({ labelText: labelText(row.selector ?? {}) })}</ShownText>
          ) : (
            <Link href={agentPath(tenant, row.agentId)} prefetch={false} className="text-link wrap-anywhere">
              <ShownText>{row.agentName ?? row.agentId}</ShownText>
            </Link>
          ),
      },
  { key: 'version', header: t.version, cell: (row) => row.policyVersion },
  { key: 'environment', header: t.environment, cell: (row) => row.environment },
  { key: 'mode', header: t.mode, cell: (row) => (row.mode === 'enforce' ? t.enforced : t.shadowOnlyRecorded) },
  { key: 'status', header: t.state, cell: (row) => <ChangeStatusShape status={row.status} /> },
  { key: 'by', header: t.proposedBy, cell: (row) => <ShownText>{row.proposedBy.displayName}</ShownText> },
  {
    key: 'approval',
    header: t.approval,
    cell: (row) => (
      <Link href={approvalPath(tenant, row.approvalId)} prefetch={false} className="text-link">
        {t.openRequestForVersion({
          policyVersion: row.policyVersion,
          environment: row.environment,
          hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
        })}
      </Link>
    ),
  },
  {
    key: 'end',
    header: t.actions,
    // Rendered even for a binding that has ended, so that an open dialog keeps its result.
    cell: (row) => (
      <EndChange
        kind="binding"
        change={row}
        about={t.versionIn({ policyVersion: row.policyVersion, environment: row.environment })}
      />
    ),
  },
]
