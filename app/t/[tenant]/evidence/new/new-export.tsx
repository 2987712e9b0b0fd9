'use client'

import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { evidencePath } from '#lib/paths.ts'
import { ExportForm } from './export-form.tsx'

/** The page with the form for a new export. */
export function NewExport() {
  const { tenant } = useSession()
  return (
    <Permitted permission="evidence:export" act="export evidence" title="New evidence export">
      <Page>
        <PageHeader title="New evidence export" crumbs={[{ label: 'Evidence', href: evidencePath(tenant) }]} id="New" />
        <ExportForm />
      </Page>
    </Permitted>
  )
}
