'use client'

import { useApi } from '#components/api/api.tsx'
import { inParts, namesIn, objectsOf } from '#components/audit/use-names.ts'
import { csvPage, DownloadCsv } from '#components/lists/download-csv.tsx'
import { auditCsv, auditNdjson, saidRow } from './audit-file.ts'
import { type AuditFilter, inputOf } from './filter.ts'

const NDJSON = { name: 'NDJSON', type: 'application/x-ndjson' }

/** Saves the filtered list with its sentences, for a spreadsheet or for another program. */
export function SaveList({ filter }: { filter: AuditFilter }) {
  const { client } = useApi()
  async function load(cursor: string | undefined) {
    const page = await client.audit.list.query({
      ...inputOf(filter),
      limit: csvPage,
      ...(cursor === undefined ? {} : { cursor }),
    })
    const parts = inParts(objectsOf(page.items)).map((objects) => client.search.names.query({ objects }))
    const nameOf = namesIn((await Promise.all(parts)).flatMap(({ names }) => names))
    return { items: page.items.map((row) => saidRow(row, nameOf)), nextCursor: page.nextCursor }
  }
  return (
    <div className="flex flex-wrap items-start gap-3">
      <DownloadCsv noun="record" fileName="audit-records.csv" load={load} toText={auditCsv} />
      <DownloadCsv noun="record" fileName="audit-records.ndjson" load={load} toText={auditNdjson} form={NDJSON} />
    </div>
  )
}
