'use client'

import { RequestFailed } from '#components/session/request-failed.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { formatBytes, formatCount } from '#lib/format.ts'
import type { ExportManifest } from '#lib/schemas/evidence.ts'
import { useManifest } from './use-export.ts'

/** Every file of the archive with its size and hash, as the signed manifest lists them. */
export function Contents({ exportId }: { exportId: string }) {
  const { data: manifest, error, refetch } = useManifest(exportId, true)
  if (manifest === undefined)
    return error === null ? (
      <Skeleton label="Loading the manifest…" rows={6} rowClass="h-7" />
    ) : (
      <RequestFailed
        error={error}
        what="The manifest"
        act="see evidence exports"
        permission="evidence:read"
        retry={() => void refetch()}
      />
    )
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  return (
    <>
      <p className="text-ink-2">
        {formatCount(manifest.files.length, 'file')}, {formatBytes(bytes)} unpacked
        {manifest.days.map(({ date, size, open }) => (
          <span key={date}>
            {'; '}
            {date}: {formatCount(size, 'record')}
            {open && ', day still open'}
          </span>
        ))}
      </p>
      <DataTable
        caption="Files of the archive"
        columns={COLUMNS}
        rows={manifest.files}
        rowKey={(file) => file.path}
        dense
      />
    </>
  )
}

const COLUMNS: Column<ExportManifest['files'][number]>[] = [
  {
    key: 'path',
    header: 'File',
    rowHeader: true,
    cell: (file) => <code className="wrap-anywhere font-mono">{file.path}</code>,
  },
  { key: 'records', header: 'Records', align: 'end', cell: (file) => file.records?.toLocaleString('en') },
  { key: 'size', header: 'Size', align: 'end', cell: (file) => formatBytes(file.bytes) },
  {
    key: 'sha256',
    header: 'SHA-256',
    cell: (file) => <Copyable value={file.sha256} label={`SHA-256 of ${file.path}`} shorten="middle" />,
  },
]
