'use client'

import { nameOfKind } from '#components/evidence/kind-words.ts'
import { formatBytes, formatNumber } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { formatUtcDay } from '#components/ui/text/time-format.ts'
import type { ExportManifest } from '#lib/schemas/evidence.ts'
import { useManifest } from './use-export.ts'

/** What is in the archive, as its signed manifest counts it. Every file with its size and hash is folded. */
export function Contents({ exportId }: { exportId: string }) {
  const { data: manifest, error, refetch } = useManifest(exportId, true)
  if (manifest === undefined)
    return error === null ? (
      <Skeleton label={t.loadingManifest} rows={6} rowClass="h-7" />
    ) : (
      <RequestFailed
        error={error}
        what={t.theManifest}
        act={t.seeEvidenceExports}
        permission="evidence:read"
        retry={() => void refetch()}
      />
    )
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const told = COUNTS.flatMap((kind) => {
    const count = manifest.counts[kind] ?? 0
    return count === 0 ? [] : [{ kind, count, words: nameOfKind(count, kind) }]
  })
  return (
    <>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 border-line border-y py-2">
        {told.map(({ kind, count, words }) => (
          <div key={kind} className="flex flex-col-reverse">
            <dt className="text-dense text-ink-2">{words}</dt>
            <dd className="font-semibold tabular-nums">{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      <DaysOfLog days={manifest.days} />
      <details>
        <summary>{t.filesUnpacked({ files: manifest.files.length, bytes: formatBytes(bytes) })}</summary>
        <DataTable
          caption={t.filesOfArchive}
          columns={COLUMNS}
          rows={manifest.files}
          rowKey={(file) => file.path}
          dense
        />
      </details>
    </>
  )
}

/** The records of each day in the log. More than one day is folded. */
function DaysOfLog({ days }: { days: Day[] }) {
  const [only] = days
  if (only === undefined) return null
  if (days.length === 1)
    return (
      <p className="text-ink-2">
        {t.recordsInLog({ day: dayOf(only), records: only.size, open: String(Boolean(only.open)) })}
      </p>
    )
  const records = days.reduce((sum, { size }) => sum + size, 0)
  return (
    <details>
      <summary>{t.daysInLog({ days: days.length, records })}</summary>
      <DataTable caption={t.daysOfLog} columns={DAYS} rows={days} rowKey={({ date }) => date} dense />
    </details>
  )
}

type Day = ExportManifest['days'][number]
const dayOf = ({ date }: Day): string => formatUtcDay(date)

const DAYS: Column<Day>[] = [
  { key: 'day', header: t.day, rowHeader: true, cell: dayOf },
  { key: 'records', header: t.records, align: 'end', cell: ({ size }) => formatNumber(size) },
  { key: 'state', header: t.dayState, cell: ({ open }) => (open ? t.dayOpen : t.dayEnded) },
]

/** The counts of the manifest that people ask for. */
const COUNTS = ['executions', 'approvals', 'approval-votes', 'decisions', 'releases', 'policies', 'audit']

const COLUMNS: Column<ExportManifest['files'][number]>[] = [
  {
    key: 'path',
    header: t.file,
    rowHeader: true,
    cell: (file) => <code className="wrap-anywhere font-mono">{file.path}</code>,
  },
  {
    key: 'records',
    header: t.records,
    align: 'end',
    cell: (file) => (file.records == null ? undefined : formatNumber(file.records)),
  },
  { key: 'size', header: t.size, align: 'end', cell: (file) => formatBytes(file.bytes) },
  {
    key: 'sha256',
    header: t.sha256,
    cell: (file) => <Copyable value={file.sha256} label={t.sha256Of({ path: file.path })} shorten="middle" />,
  },
]
