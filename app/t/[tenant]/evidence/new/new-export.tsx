'use client'

import { useSearchParams } from 'next/navigation'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence/en.ts'
import { isNew } from '#components/texts/page/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { evidencePath } from '#lib/paths.ts'
import { ExportForm } from './export-form.tsx'

/** The page with the form for a new export. */
export function NewExport() {
  const { tenant } = useSession()
  const like = useSearchParams().get('like')
  return (
    <Permitted permission="evidence:export" act={t.exportEvidenceAction} title={t.newEvidenceExport}>
      <Page>
        <PageHeader
          title={t.newEvidenceExport}
          crumbs={[{ label: t.evidence, href: evidencePath(tenant) }]}
          id={isNew}
        />
        <OpenAlarms />
        {like === null ? <ExportForm /> : <SameAgain exportId={like} />}
      </Page>
    </Permitted>
  )
}

/** The form with the choices of an earlier export. */
function SameAgain({ exportId }: { exportId: string }) {
  const { rest } = useApi()
  const { data: job, error, refetch } = useQuery(rest.evidence.get.queryOptions({ exportId }))
  if (job !== undefined) return <ExportForm like={job} />
  return error === null ? (
    <Skeleton label={t.loadingEarlierExport} rows={8} />
  ) : (
    <RequestFailed
      error={error}
      what={t.earlierExport}
      act={t.seeEvidenceExports}
      permission="evidence:list"
      retry={() => void refetch()}
    />
  )
}
