'use client'

import Link from 'next/link'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { ResourceLink } from '#components/audit/resource-link.tsx'
import { rowText } from '#components/audit/sentence-text.ts'
import { useNames } from '#components/audit/use-names.ts'
import { formatNumber } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { replaceAddress, useAddressSearch } from '#components/lists/address.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { SaidRow } from '#lib/audit/file.ts'
import { objectsOf } from '#lib/audit/object-names.ts'
import { alarmsPath, auditPath, auditRecordPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { DayFacts } from './day-facts.tsx'
import { countSet, filterFrom, inputOf, searchOf } from './filter.ts'
import { Filters } from './filters.tsx'
import { ChosenObject } from './object-field.tsx'
import { SaveList } from './save-list.tsx'

/** The audit records of the tenant, newest first. */
export function Audit() {
  return (
    <Permitted permission="audit:read" act={t.seeAuditLog} title={t.audit}>
      <AuditList />
    </Permitted>
  )
}

function AuditList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const filter = filterFrom(useAddressSearch())
  const pages = usePages(trpc.audit.list, inputOf(filter))
  const nameOf = useNames(objectsOf(pages.items ?? []))
  const said = { ...pages, items: pages.items?.map((row) => rowText(row, nameOf)) }
  return (
    <Page wide>
      <PageHeader
        title={t.audit}
        facts={
          <>
            <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
              {t.alarms}
            </Link>
            <DayFacts />
          </>
        }
        action={<SaveList filter={filter} empty={pages.items?.length === 0} />}
      />
      <OpenAlarms />
      <Filters filter={filter} />
      {filter.resourceId !== '' && (
        <ChosenObject
          resourceId={filter.resourceId}
          type={pages.items?.[0]?.resource.type}
          onClear={() => replaceAddress(auditPath(tenant, searchOf({ ...filter, resourceId: '' })))}
        />
      )}
      <PagedTable
        pages={said}
        caption={t.auditRecords}
        columns={columns(tenant)}
        rowKey={(row) => row.auditId}
        failed={{ what: t.theAudit, act: t.seeAuditLog, permission: 'audit:read' }}
        empty={
          countSet(filter) > 0 ? (
            <EmptyState title={t.noRecordsMatchThese}>{t.changeOrClearFilters}</EmptyState>
          ) : (
            <EmptyState title={t.noRecordsYet}>{t.everyChangeIsRecorded}</EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns = (tenant: string): Column<SaidRow>[] => [
  {
    key: 'at',
    header: t.when,
    cell: (row) => (
      <span className="tabular-nums">
        <Time at={row.at} show="seconds" />
      </span>
    ),
  },
  {
    key: 'type',
    header: t.what,
    rowHeader: true,
    cell: (row) => (
      <span className="block min-w-44">
        <Link href={auditRecordPath(tenant, row.auditId)} prefetch={false} className="text-link wrap-anywhere">
          <ShownText>{row.sentence}</ShownText>
        </Link>
      </span>
    ),
  },
  {
    key: 'resource',
    header: t.about,
    cell: (row) => <ResourceLink {...row.resource} name={row.object} />,
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
  { key: 'seq', header: t.noInDay, align: 'end', cell: (row) => formatNumber(row.seq + 1) },
]
