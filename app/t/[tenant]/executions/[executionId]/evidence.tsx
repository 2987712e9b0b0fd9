'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { rowText } from '#components/audit/sentence-text.ts'
import { useNames } from '#components/audit/use-names.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-evidence/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { SaidRow } from '#lib/audit/file.ts'
import { objectsOf } from '#lib/audit/object-names.ts'
import { approvalPath, auditRecordPath, newEvidencePath, tracePath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The evidence of the execution: its audit records, each with its own proof, and the objects that they refer to. */
export function Evidence({ execution }: { execution: Execution }) {
  const { tenant, can } = useSession()
  return (
    <div className="flex max-w-240 flex-col gap-6">
      <Section title={t.relatedObjects}>
        <Subjects execution={execution} />
      </Section>
      <Section title={t.auditRecords}>
        {can('audit:read') ? (
          <Records executionId={execution.id} />
        ) : (
          <MissingPermission act={t.seeAuditLog} permission="audit:read" />
        )}
      </Section>
      <Section title={t.evidenceExport}>
        <p className="max-w-[75ch]">
          {t.evidenceExportContainsExecutions({ at: () => <Time at={execution.createdAt} show="absolute" /> })}
        </p>
        <div>
          <ActionLink href={newEvidencePath(tenant)} permission="evidence:export" variant="secondary">
            {t.exportEvidence}
          </ActionLink>
        </div>
      </Section>
    </div>
  )
}

function Subjects({ execution: { id, releaseId, traceId, steps } }: { execution: Execution }) {
  const { tenant } = useSession()
  const decided = steps.flatMap(({ id: step, title, approvalId }) =>
    approvalId === null ? [] : [{ step, title, approvalId }],
  )
  return (
    <KeyValues>
      <KeyValue name={t.execution}>
        <Copyable value={id} label={t.executionId} />
      </KeyValue>
      <KeyValue name={t.release}>
        <Copyable value={releaseId} label={t.releaseId} />
      </KeyValue>
      <KeyValue name={t.trace}>
        <Link
          href={tracePath(tenant, traceId)}
          prefetch={false}
          className="text-link wrap-anywhere font-mono text-dense"
        >
          {traceId}
        </Link>
      </KeyValue>
      {decided.map(({ step, title, approvalId }) => (
        <KeyValue key={step} name={t.approvalOf({ title })}>
          <Link
            href={approvalPath(tenant, approvalId)}
            prefetch={false}
            className="text-link wrap-anywhere font-mono text-dense"
          >
            {approvalId}
          </Link>
        </KeyValue>
      ))}
    </KeyValues>
  )
}

function Records({ executionId }: { executionId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.audit.list, { resourceId: executionId })
  const nameOf = useNames(objectsOf(pages.items ?? []))
  const said = { ...pages, items: pages.items?.map((row) => rowText(row, nameOf)) }
  return (
    <PagedTable
      pages={said}
      caption={t.auditRecordsAboutExecution}
      columns={columns(tenant)}
      rowKey={(row) => row.auditId}
      failed={{ what: t.theAudit, act: t.seeAuditLog, permission: 'audit:read' }}
      empty={<EmptyState title={t.noAuditRecordsWere}>{t.everyChangeOfExecution}</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<SaidRow>[] => [
  {
    key: 'type',
    header: t.what,
    rowHeader: true,
    cell: (row) => (
      <Link href={auditRecordPath(tenant, row.auditId)} prefetch={false} className="text-link wrap-anywhere">
        <ShownText>{row.sentence}</ShownText>
      </Link>
    ),
  },
  {
    key: 'reason',
    header: t.reason,
    cell: (row) =>
      row.reason === null ? undefined : (
        <span className="wrap-anywhere">
          <ShownText>{row.reason}</ShownText>
        </span>
      ),
  },
  { key: 'at', header: t.when, cell: (row) => <Time at={row.at} show="seconds" /> },
]
